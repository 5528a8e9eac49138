// Makes the page's pieces out of what the stream says. Texts are only ever set as text, never as markup.
import { accountPicture, progressPicture } from "./account.js";

export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

const SIGNS = { 1: "■", 2: "▲", 0: "●" };
// Acts that stand with the alert that they are about, not among the others.
const OF_ALERT = ["take-alert", "decline-alert", "clear-alert"];

function filled(text, fields) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in fields ? String(fields[name]) : whole));
}

export class Painter {
  constructor({ words, phrases, staff }, language, second) {
    Object.assign(this, { words, phrases, staff, language, second });
    this.acts = null;
  }

  say(word, fields = {}) {
    return filled(this.has(word) ? this.words[word] : word, fields);
  }

  has(word) { return Object.hasOwn(this.words, word); }

  // A sentence of the table, in this language where somebody has written it.
  phrase(text) { return Object.hasOwn(this.phrases, text) ? this.phrases[text] : text; }

  // Who somebody is, as people call him; a staff id where no table of the host knows it.
  who(staff) { return Object.hasOwn(this.staff, staff) ? this.staff[staff] : staff; }

  money(amount, currency) {
    if (!currency) return String(amount);
    const style = { style: "currency", currency };
    const digits = new Intl.NumberFormat("en", style).resolvedOptions().maximumFractionDigits;
    return new Intl.NumberFormat(this.language.replace(/_/g, "-"), style).format(amount / 10 ** digits);
  }

  alert(alert, offers = []) {
    const level = alert.class || 0;
    const box = make("section", `alert level${level} ${alert.progress}`);
    const [fact, step] = alert.lines[this.language];
    const line = make("p", "fact");
    line.append(make("span", "sign", SIGNS[level]), fact);
    box.append(line, make("p", "step", `→ ${step}`));
    if (this.second) box.append(make("p", "second", alert.lines[this.second].join(" → ")));
    const name = this.who(alert.taken_by);
    const taken = { new: this.say("nobody"), taken: this.say("taken", { name }), arrived: this.say("arrived", { name }) };
    const called = alert.asked.length ? ` · ${this.say("asked")}: ${alert.asked.map((each) => this.who(each)).join(", ")}` : "";
    const times = alert.times > 1 ? ` · ×${alert.times}` : "";
    const since = this.say("since", { time: alert.since_local });
    box.append(make("p", "who", `${taken[alert.progress]} · ${since}${called}${times} · ${alert.rule}`));
    const mine = offers.filter((each) => OF_ALERT.includes(each.act) && each.fixed.alert === alert.alert);
    const buttons = mine.filter((each) => each.act === "take-alert" ? !this.acts.may.isIn || this.acts.may.may(each) : this.acts.may.may(each));
    if (buttons.length) box.append(this.buttons(buttons));
    return box;
  }

  buttons(offers) {
    const line = make("p", "buttons");
    line.append(...offers.map((offer) => {
      const about = Object.entries(offer.fixed).filter(([name]) => !["alert", "seats", "amounts"].includes(name)).map(([, value]) => value);
      const button = make("button", offer.act === "take-alert" ? "act first" : "act", [this.say(`act ${offer.act}`), ...about].join(" · "));
      button.type = "button";
      button.dataset.key = `${offer.act} ${JSON.stringify(offer.fixed)}`;
      button.addEventListener("click", () => this.acts.open(offer));
      if (offer.missing.length) button.append(make("small", "", offer.missing.map((each) => this.say(`role ${each}`)).join(" + ")));
      return button;
    }));
    return line;
  }

  // What the badge that is signed in may do here now; what can be done at any time stands behind the rest.
  doing(offers) {
    if (!this.acts.may.isIn) return [];
    const box = make("section", "box acts");
    box.append(make("h2", "", this.say("said can be done")));
    const mine = offers.filter((each) => !OF_ALERT.includes(each.act) && this.acts.may.may(each));
    const [first, more] = [mine.filter((each) => !each.is_usual), mine.filter((each) => each.is_usual)];
    if (first.length) box.append(this.buttons(first));
    if (more.length) {
      const rest = make("details");
      rest.dataset.key = "more";
      rest.append(make("summary", "", this.say("said more acts")), this.buttons(more));
      rest.firstChild.dataset.key = "more acts";
      box.append(rest);
    }
    const readsOnly = this.acts.may.me.roles.every((role) => role === "surveillance" || role === "inspection service");
    if (!mine.length) box.append(make("p", "", this.say(readsOnly ? "said reads only" : "said nothing to do")));
    return [box];
  }

  jackpot(jackpot) {
    if (jackpot.shown === null) return this.say("ledger away");
    return `${jackpot.said[this.language]} ${this.say(jackpot.state)}`.trim();
  }

  name(tile) {
    const line = make("p", "name", tile.table);
    line.append(make("small", "", this.at(tile)));
    if (tile.is_simulated) line.append(make("span", "mark", this.say("simulated")));
    if (tile.profile === "training") line.append(make("span", "mark", this.say("training")));
    return line;
  }

  age(seconds) {
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
    return this.say("age", { h: hours, m: String(minutes).padStart(2, "0") });
  }

  // No session runs at a table with a batch shuffler, and none that is known at one with a shoe.
  at(tile) {
    const round = `${this.say("round")} ${tile.round}`;
    if (tile.kind === "batch") return this.say("batch table");
    if (tile.kind === "shoe") return `${round} · ${this.say("shoe, observed")}`;
    return `${round} · ${this.say(tile.session === "open" ? tile.round_state : tile.session)}`;
  }

  facts(tile) {
    const list = make("dl");
    const put = (label, value) => list.append(make("dt", "", label), make("dd", "", value));
    if (tile.stopped.length) put(this.say("stopped"), tile.stopped.map((scope) => this.say(scope)).join(", "));
    if (tile.away.length) put(this.say("silent"), tile.away.join(", "));
    put(this.say("rounds an hour"), String(tile.rounds_this_hour));
    if (tile.held_over) put(this.say("held over"), String(tile.held_over));
    if (tile.cards_age_s !== null && tile.session !== "closed") put(this.say("card set"), this.age(tile.cards_age_s));
    if (tile.jackpot) put(this.say("jackpot"), this.jackpot(tile.jackpot));
    put(this.say("supervisor"), this.who(tile.supervisor));
    if (tile.dealer) put(this.say("dealer"), this.who(tile.dealer));
    return list;
  }

  tile(tile) {
    const level = tile.worst ? `level${tile.worst.class || 0}` : "calm";
    const box = make("a", `tile ${level}`);
    box.href = `#${encodeURIComponent(tile.table)}`;
    box.dataset.key = `tile ${tile.table}`;
    box.append(this.name(tile));
    if (tile.worst) box.append(this.alert(tile.worst));
    if (tile.alerts > 1) box.append(make("p", "who", `+${tile.alerts - 1} ${this.say("alerts")}`));
    box.append(this.facts(tile));
    return box;
  }

  pit(told) {
    const tiles = make("div", "tiles");
    tiles.append(...told.tiles.map((tile) => this.tile(tile)));
    for (const [name, why] of Object.entries(told.refused)) {
      const box = make("div", "tile level1");
      box.append(make("p", "name", name), make("p", "fact", this.say("does not run")), make("p", "", why));
      tiles.append(box);
    }
    return [tiles];
  }

  table(tile, table) {
    const back = make("a", "back", `← ${this.say("back")}`);
    back.href = "#";
    back.dataset.key = "back";
    const head = make("div", `tile ${tile.worst ? `level${tile.worst.class || 0}` : "calm"}`);
    head.append(this.name(tile), this.facts(tile));
    const alerts = make("div");
    alerts.append(...table.alerts.map((alert) => this.alert(alert, table.offers)));
    if (!table.alerts.length) alerts.append(make("p", "", this.say("all calm")));
    const boxes = make("div", "boxes");
    boxes.append(this.doings(table), this.blocks(table), this.cards(table.account));
    if (table.present.length) boxes.append(this.list("present", table.present, (one) => [`${this.who(one.staff)}: ${this.phrase(one.operation)}`, this.left(one.seconds)]));
    if (table.screens.length) boxes.append(this.list("said screens", table.screens, (one) => [this.say(one.is_waiting ? "said screen waits" : "said screen in", { n: one.screen, name: one.name }), ""]));
    if (table.incidents.length) boxes.append(this.list("incidents", table.incidents, (one) => [`${one.number}: ${one.text}`, one.rule]));
    if (table.hands.length) boxes.append(this.list("hands", table.hands, (line) => [line, ""]));
    if (table.advice.length) boxes.append(this.list("advice", table.advice, (one) => [`${one.number} (${one.rule}): ${one.happened}. ${one.ruling}`, `${one.decides} → ${one.next_step}`]));
    if (tile.jackpot) boxes.append(this.list("jackpot", [tile.jackpot], (one) => [this.jackpot(one), ""]));
    boxes.append(this.devices(table.devices), this.rows(table.rows));
    return [back, alerts, ...this.doing(table.offers), head, boxes];
  }

  // Each procedure that is under way, what to do next, and how far cards have come in or out.
  doings(table) {
    const box = this.list("does", table.waiting, (one) => [`${one.said[this.language]}: ${this.has(one.state) ? this.say(one.state) : this.phrase(one.state)}`, `→ ${this.phrase(one.next_step)}`]);
    for (const each of table.progress) {
      const label = this.say(`progress ${each.what}`, each);
      box.append(make("p", "progress-label", label), progressPicture(each.done, each.total, label));
    }
    return box;
  }

  blocks(table) {
    const away = table.away.map((name) => [`${name}: ${this.say("silent")}`, ""]);
    const locks = table.locks.map((lock) => [`${this.say(lock.scope)}: ${lock.said[this.language]}`, lock.is_from_next_round ? `${lock.rule} · ${this.say("from next round")}` : lock.rule]);
    return this.list("blocks", [...away, ...locks], (lines) => lines);
  }

  left(seconds) {
    if (seconds === null) return this.say("held");
    return seconds ? this.say("left", { n: seconds }) : this.say("lapsed");
  }

  list(word, items, lines) {
    const box = make("section", "box");
    box.append(make("h2", "", this.say(word)));
    const list = make("ul");
    for (const item of items) {
      const [first, second] = lines(item);
      const entry = make("li", "", first);
      if (second) entry.append(make("span", "step-line", second));
      list.append(entry);
    }
    if (!items.length) list.append(make("li", "", this.say("nothing")));
    box.append(list);
    return box;
  }

  cards(account) {
    const box = make("section", "box");
    box.append(make("h2", "", `${this.say("cards")} · ${account.brought} ${this.say("in all")}`));
    if (account.brought) box.append(accountPicture(account, (place) => this.say(place)));
    else box.append(make("p", "", this.say("nothing")));
    return box;
  }

  devices(devices) {
    const box = this.list("devices", devices, (one) => [`${one.name} · ${one.model} ${one.serial}`, one.is_connected ? this.health(one) : ""]);
    devices.forEach((one, at) => {
      if (!one.is_connected) box.querySelectorAll("li")[at].append(make("span", "step-line silent", this.say("silent")));
    });
    return box;
  }

  health(one) {
    const parts = [this.say("answers"), one.firmware, one.trust && this.say(one.trust), ...one.faults.map((fault) => `${this.say("field fault")} ${fault}`)];
    if (one.is_simulated) parts.push(this.say("simulated"));
    return parts.filter(Boolean).join(" · ");
  }

  // A field of an event: a person by name, a word of ours in this language.
  told(value) {
    if (typeof value !== "string") return value;
    return Object.hasOwn(this.staff, value) ? this.who(value) : this.has(`choice ${value}`) ? this.say(`choice ${value}`) : this.phrase(value);
  }

  rows(rows) {
    const lines = (row) => {
      const body = Object.fromEntries(Object.entries(row.body).map(([name, value]) => [name, this.told(value)]));
      const text = row.lines ? row.lines[this.language][0] : this.say(`happened ${row.type}`, body);
      return [`${row.local} ${text}`, ""];
    };
    const shown = rows.filter((row) => row.lines || this.has(`happened ${row.type}`));
    const box = this.list("events", [...shown].reverse(), lines);
    box.classList.add("rows");
    return box;
  }
}
