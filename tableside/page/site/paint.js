// Makes the page's pieces out of what the stream says. Texts are only ever set as text, never as markup.
export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

const SIGNS = { 1: "■", 2: "▲", 0: "●" };

function filled(text, fields) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in fields ? String(fields[name]) : whole));
}

export class Painter {
  constructor(words, language, second) {
    this.words = words;
    this.language = language;
    this.second = second;
  }

  say(word, fields = {}) {
    const known = this.words[this.language];
    return filled(word in known ? known[word] : word, fields);
  }

  alert(alert) {
    const level = alert.class || 0;
    const box = make("section", `alert level${level}`);
    const [fact, step] = alert.lines[this.language];
    const line = make("p", "fact");
    line.append(make("span", "sign", SIGNS[level]), fact);
    box.append(line, make("p", "step", `→ ${step}`));
    if (this.second) box.append(make("p", "second", alert.lines[this.second].join(" → ")));
    const name = alert.taken_by;
    const taken = { new: this.say("nobody"), taken: this.say("taken", { name }), arrived: this.say("arrived", { name }) };
    const called = alert.asked.length ? ` · ${this.say("asked")}: ${alert.asked.join(", ")}` : "";
    const times = alert.times > 1 ? ` · ×${alert.times}` : "";
    const since = this.say("since", { time: alert.since_local });
    box.append(make("p", "who", `${taken[alert.progress]} · ${since}${called}${times} · ${alert.rule}`));
    return box;
  }

  jackpot(jackpot) {
    const digits = new Intl.NumberFormat("en", { style: "currency", currency: jackpot.currency }).resolvedOptions().maximumFractionDigits;
    const amount = new Intl.NumberFormat(this.language.replace(/_/g, "-"), { style: "currency", currency: jackpot.currency })
      .format(jackpot.shown / 10 ** digits);
    return `${amount} ${this.say(jackpot.state)}`.trim();
  }

  name(tile) {
    const line = make("p", "name", tile.table);
    const state = tile.session === "open" ? tile.round_state : tile.session;
    line.append(make("small", "", `${this.say("round")} ${tile.round} · ${this.say(state)}`));
    if (tile.is_simulated) line.append(make("span", "mark", this.say("simulated")));
    if (tile.profile === "training") line.append(make("span", "mark", this.say("training")));
    return line;
  }

  facts(tile) {
    const list = make("dl");
    const put = (label, value) => list.append(make("dt", "", label), make("dd", "", value));
    if (tile.stopped.length) put(this.say("stopped"), tile.stopped.map((scope) => this.say(scope)).join(", "));
    if (tile.away.length) put(this.say("silent"), tile.away.join(", "));
    put(this.say("rounds an hour"), String(tile.rounds_this_hour));
    if (tile.held_over) put(this.say("held over"), String(tile.held_over));
    if (tile.jackpot) put(this.say("jackpot"), this.jackpot(tile.jackpot));
    put(this.say("supervisor"), tile.supervisor);
    if (tile.dealer) put(this.say("dealer"), tile.dealer);
    return list;
  }

  tile(tile) {
    const level = tile.worst ? `level${tile.worst.class || 0}` : "calm";
    const box = make("a", `tile ${level}`);
    box.href = `#${encodeURIComponent(tile.table)}`;
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
    const head = make("div", `tile ${tile.worst ? `level${tile.worst.class || 0}` : "calm"}`);
    head.append(this.name(tile), this.facts(tile));
    const alerts = make("div");
    alerts.append(...table.alerts.map((alert) => this.alert(alert)));
    if (!table.alerts.length) alerts.append(make("p", "", this.say("all calm")));
    const boxes = make("div", "boxes");
    boxes.append(
      this.list("does", table.waiting, (one) => [`${one.procedure}: ${this.say(one.state)}`, `→ ${one.next_step}`]),
      this.blocks(table),
      this.cards(table.account),
    );
    if (table.present.length) boxes.append(this.list("present", table.present, (one) => [`${one.staff}: ${one.operation}`, this.left(one.seconds)]));
    if (table.incidents.length) boxes.append(this.list("incidents", table.incidents, (one) => [`${one.number}: ${one.text}`, one.rule]));
    if (table.advice.length) boxes.append(this.list("advice", table.advice, (one) => [`${one.number} (${one.rule}): ${one.happened}. ${one.ruling}`, `${one.decides} → ${one.next_step}`]));
    boxes.append(this.devices(table.devices), this.rows(table.rows));
    return [back, head, alerts, boxes];
  }

  blocks(table) {
    const away = table.away.map((name) => [`${name}: ${this.say("silent")}`, ""]);
    const locks = table.locks.map((lock) => [`${this.say(lock.scope)}: ${lock.reason}`, lock.rule]);
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
    const bar = make("div", "cards");
    bar.setAttribute("role", "img");
    const list = make("ul");
    const places = Object.entries(account.balances).filter(([, cards]) => cards);
    places.forEach(([place, cards], at) => {
      const part = make("span", `p${at % 9}`);
      part.style.flex = String(Math.abs(cards));
      bar.append(part);
      const entry = make("li");
      entry.append(make("span", `key p${at % 9}`), `${this.say(place)}: ${cards}`);
      list.append(entry);
    });
    bar.setAttribute("aria-label", places.map(([place, cards]) => `${this.say(place)} ${cards}`).join(", "));
    box.append(bar, list);
    return box;
  }

  devices(devices) {
    const box = this.list("devices", devices, (one) => [`${one.name} · ${one.model} ${one.serial}`, one.is_connected ? this.say("answers") : ""]);
    devices.forEach((one, at) => {
      if (!one.is_connected) box.querySelectorAll("li")[at].append(make("span", "step-line silent", this.say("silent")));
    });
    return box;
  }

  rows(rows) {
    const box = this.list("events", [...rows].reverse(), (row) => [`${row.at.slice(11, 19)} ${row.type}`, row.lines ? row.lines[this.language][0] : ""]);
    box.classList.add("rows");
    return box;
  }
}
