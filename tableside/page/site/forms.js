// The form of an act: what is to be filled in, whose badge is missing, and one id for as long as it is open, so that a
// second click or a second try does nothing twice.
import { make } from "./paint.js";
import { post } from "./screen.js";

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const SUITS = ["♠", "♥", "♦", "♣"];
const LONGEST = 400;

const sameMatter = (one, other) => one.act === other.act && JSON.stringify(one.fixed) === JSON.stringify(other.fixed);

// Random also where the browser gives `randomUUID` to pages in TLS only.
function freshId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `page-${[...bytes].map((each) => each.toString(16).padStart(2, "0")).join("")}`;
}

function select(choices, label) {
  const list = make("select");
  const none = make("option", "", label);
  none.value = "";
  list.append(none, ...choices.map(([value, text]) => {
    const option = make("option", "", text);
    option.value = value;
    return option;
  }));
  return list;
}

function input(type) {
  const made = make("input");
  made.type = type;
  return made;
}

function labelled(text, control, id) {
  const label = make("label", "", text);
  control.id = id;
  label.htmlFor = id;
  return [label, control];
}

export class Forms {
  constructor({ painter, forms, screen, offers, told }) {
    Object.assign(this, { painter, forms, screen, offers, told });
    this.dialog = document.getElementById("form");
    this.offer = null;
    this.dialog.addEventListener("close", () => { this.offer = null; });
  }

  get say() {
    const made = this.painter();
    return (...said) => made.say(...said);
  }

  open(offer) {
    Object.assign(this, { offer, id: freshId(), state: "open", table: this.told().table.table });
    this.answer = null;
    this.readers = [];
    const title = make("h2", "", this.say(`act ${offer.act}`));
    title.id = "form-title";
    this.notes = make("div", "notes");
    this.notes.setAttribute("role", "status");
    this.send = make("button", "send", this.say("said send"));
    this.send.type = "submit";
    this.leave = make("button", "", this.say("said cancel"));
    this.leave.type = "button";
    this.leave.addEventListener("click", () => this.dialog.close());
    const buttons = make("p", "buttons");
    buttons.append(this.send, this.leave);
    const form = make("form");
    form.noValidate = true;
    form.append(title, make("p", "about", this.about(offer)), ...this.fields(offer), this.notes, buttons);
    form.addEventListener("submit", (event) => { event.preventDefault(); this.submit(); });
    this.dialog.replaceChildren(form);
    if (!this.dialog.open) this.dialog.showModal();
    this.noted = "";
    this.refresh();
    if (!this.screen.isIn) this.screen.ask();
      }

  // What it is about, such as the alert's own line: nobody settles the wrong one.
  about(offer) {
    const { table } = this.told();
    const made = this.painter();
    const alert = table.alerts.find((each) => each.alert === offer.fixed.alert);
    if (alert) return alert.lines[made.language][0];
    const incident = table.incidents.find((each) => each.number === offer.fixed.incident);
    const advice = offer.act === "decide-advice" && table.advice.find((each) => each.number === offer.fixed.number);
    if (advice) return `${advice.happened}. ${advice.ruling} (${advice.rule})`;
    const rest = Object.entries(offer.fixed).filter(([name]) => name !== "amounts" || !offer.fixed.seats)
      .map(([name, value]) => `${this.say(`field ${name}`)} ${this.fixed(name, value, offer)}`);
    return [table.table, ...rest, ...(incident ? [incident.text] : [])].join(" · ");
  }

  fixed(name, value, offer) {
    if (name !== "seats" || !offer.fixed.amounts) return String(value);
    const made = this.painter();
    return value.map((seat, at) => `${seat}: ${made.money(offer.fixed.amounts[at], this.told().table.jackpot?.currency)}`).join(", ");
  }

  fields(offer) {
    const fields = this.forms[offer.act].filter((field) => !(field.name in offer.fixed));
    return fields.flatMap((field) => {
      const box = make("div", "field");
      const [parts, read] = this[`enter_${field.entry}`](field, `field-${field.name}`);
      box.append(...parts);
      this.readers.push({ ...field, read });
      return [box];
    });
  }

  label(field) { return this.say(`field ${field.name}`); }

  enter_text(field, id) {
    const made = input("text");
    made.maxLength = LONGEST;
    made.autocomplete = "off";
    return [labelled(this.label(field), made, id), () => made.value.trim()];
  }

  enter_number(field, id) {
    const made = input("number");
    Object.assign(made, { min: 0, step: 1, inputMode: "numeric" });
    return [labelled(this.label(field), made, id), () => (made.value === "" ? "" : Number(made.value))];
  }

  enter_yes(field, id) {
    const made = input("checkbox");
    return [labelled(this.label(field), made, id).reverse(), () => made.checked];
  }

  chosen(field, id, choices) {
    const made = select(choices, this.say("said choose"));
    return [labelled(this.label(field), made, id), () => made.value];
  }

  enter_choice(field, id) {
    return this.chosen(field, id, field.choices.map((each) => [each, this.say(`choice ${each}`)]));
  }

  enter_back(field, id) {
    return this.chosen(field, id, this.told().table.entries.backs.map((each) => [each, this.say(`choice ${each}`)]));
  }

  people(field, id, role) {
    const people = this.told().table.entries.people[role] ?? [];
    return this.chosen(field, id, people.map((one) => [one.staff, `${one.name} (${one.staff})`]));
  }

  enter_dealer(field, id) { return this.people(field, id, "dealer"); }

  enter_technician(field, id) { return this.people(field, id, "technician"); }

  seats() { return Array.from({ length: this.told().table.entries.seats }, (_, at) => at + 1); }

  enter_seat(field, id) {
    const [parts, read] = this.chosen(field, id, this.seats().map((each) => [String(each), String(each)]));
    return [parts, () => (read() === "" ? "" : Number(read()))];
  }

  enter_seats(field, id) {
    const set = make("fieldset", "seats");
    const boxes = this.seats().map((seat) => {
      const box = input("checkbox");
      const parts = labelled(String(seat), box, `${id}-${seat}`).reverse();
      const pair = make("span", "seat");
      pair.append(...parts);
      set.append(pair);
      return box;
    });
    set.prepend(make("legend", "", this.label(field)));
    return [[set], () => boxes.flatMap((box, at) => (box.checked ? [at + 1] : []))];
  }

  // 0 is the table inspector, who cuts where no player wants to.
  enter_cutter(field, id) {
    const choices = [["0", this.say("role table inspector")], ...this.seats().map((each) => [String(each), String(each)])];
    const [parts, read] = this.chosen(field, id, choices);
    return [parts, () => (read() === "" ? "" : Number(read()))];
  }

  // How many cards of each back colour; a colour that is left empty was not counted.
  enter_counts(field, id) {
    const set = make("fieldset", "group");
    set.append(make("legend", "", this.label(field)));
    const readers = this.told().table.entries.backs.map((back) => {
      const made = input("number");
      Object.assign(made, { min: 0, step: 1, inputMode: "numeric" });
      set.append(...labelled(this.say(`choice ${back}`), made, `${id}-${back}`));
      return () => (made.value === "" ? [] : [{ back, cards: Number(made.value) }]);
    });
    return [[set], () => readers.flatMap((read) => read())];
  }

  enter_card(field, id) {
    const set = make("fieldset", "card");
    const lists = [RANKS, SUITS, this.told().table.entries.backs].map((choices, at) => {
      const list = select(choices.map((each) => [each, at === 2 ? this.say(`choice ${each}`) : each]), "–");
      list.id = `${id}-${at}`;
      list.setAttribute("aria-label", `${this.label(field)} ${at + 1}`);
      return list;
    });
    set.append(make("legend", "", this.label(field)), ...lists);
    return [[set], () => (lists.every((list) => list.value) ? `${lists[0].value}${lists[1].value} ${lists[2].value}` : "")];
  }

  enter_faces(field, id) {
    const [parts, read] = this.enter_text(field, id);
    return [parts, () => read().split(/[\s,]+/).filter(Boolean)];
  }

  enter_numbers(field, id) {
    const [parts, read] = this.enter_text(field, id);
    return [parts, () => read().split(/[\s,]+/).filter(Boolean).map(Number)];
  }

  enter_groups(field, id) {
    const readers = [];
    const parts = this.told().table.entries.backs.map((back) => {
      const set = make("fieldset", "group");
      set.append(make("legend", "", this.say(`choice ${back}`)));
      const one = { complete: this.enter_number({ name: "complete" }, `${id}-${back}-complete`) };
      for (const name of ["missing", "too_many", "foreign"]) one[name] = this.enter_text({ name }, `${id}-${back}-${name}`);
      for (const [made] of Object.values(one)) set.append(...made);
      readers.push(() => {
        const cards = (name) => one[name][1]().split(/[\s,]+/).filter(Boolean).map((face) => `${face} ${back}`);
        return { back, complete: one.complete[1]() || 0, missing: cards("missing"), too_many: cards("too_many"), foreign: cards("foreign") };
      });
      return set;
    });
    return [parts, () => readers.map((read) => read())];
  }

  // What has become of the offer in the newest picture; null: it is over.
  current() {
    return this.offers().find((each) => sameMatter(each, this.offer)) ?? null;
  }

  close() { if (this.dialog.open) this.dialog.close(); }

  refresh() {
    if (!this.offer || !this.dialog.open) return;
    const isWaited = this.offer.act === "take-alert" && this.screen.isIn && this.state === "open" && !this.answer;
    if (isWaited && this.current()?.seen === this.offer.seen) this.submit();
    const lines = [];
    const now = this.current();
    const isDone = this.state === "done";
    const isOver = !isDone && (this.state === "stale" || (this.told()?.table && (!now || now.seen !== this.offer.seen)));
    if (this.answer) lines.push(...this.answer);
    else if (isOver && this.state !== "sending") lines.push(this.isMine() ? ["good", `✓ ${this.say("said your tap has done it")}`] : ["bad", this.say("said has changed meanwhile")]);
    if (this.state === "sending") lines.push(["", this.say("said sending")]);
    if (!isDone && !isOver) {
      const left = this.screen.leftS();
      const time = left === null || !this.screen.me.table ? "" : ` · ${this.say("said seconds", { n: left })}`;
      lines.push(...this.screen.lines().map((line, at) => ["whose", at ? line : line + time]));
      if (now?.missing.length) {
        const roles = now.missing.map((each) => this.say(`role ${each}`)).join(this.say("said and"));
        lines.push(["bad", this.say("said missing roles", { roles, table: this.table })]);
      }
    }
    this.send.hidden = isDone || Boolean(isOver);
    this.send.disabled = this.state === "sending";
    this.send.textContent = this.say(this.screen.isIn || this.screen.me.state === "waiting" ? "said send" : "said sign in");
    this.leave.textContent = this.say(isDone || isOver ? "said close" : "said cancel");
    const noted = JSON.stringify(lines);
    if (noted === this.noted) return;
    this.noted = noted;
    this.notes.replaceChildren(...lines.map(([kind, text]) => make("p", kind, text)));
    if (this.send.hidden && document.activeElement === document.body) this.leave.focus();
  }

  // A tap at the table takes the alert by itself.
  isMine() {
    const alert = this.told()?.table?.alerts.find((each) => each.alert === this.offer.fixed.alert);
    return this.offer.act === "take-alert" && this.screen.isIn && alert?.taken_by === this.screen.me.staff;
  }

  filled() {
    const fields = { ...this.offer.fixed };
    for (const { name, is_needed, read } of this.readers) {
      const value = read();
      const isEmpty = value === "" || (Array.isArray(value) && !value.length);
      if (isEmpty && is_needed) throw new Error(this.say("said fill in", { name: this.say(`field ${name}`) }));
      if (typeof value === "string" && /\p{C}/u.test(value)) throw new Error(this.say("said no controls"));
      if (!isEmpty) fields[name] = value;
    }
    return fields;
  }

  async submit() {
    if (this.state !== "open") return;
    if (!this.screen.isIn) {
      if (this.screen.me.state !== "waiting") this.screen.ask();
      return;
    }
    let fields;
    try {
      fields = this.filled();
    } catch (mistake) {
      this.answer = [["bad", mistake.message]];
      this.refresh();
      return;
    }
    Object.assign(this, { state: "sending", answer: null });
    this.refresh();
    const { offer } = this;
    let said;
    try {
      said = await post("/act", { id: this.id, act: offer.act, table: this.table, fields, seen: offer.seen });
    } catch {
      said = { answer: "unknown", said: "no connection" };
    }
    if (this.offer === offer) this.hear(said);
  }

  hear(said) {
    const [text, step] = said.lines?.[this.painter().language] ?? [said.text, said.next_step];
    const next = step ? [["", `→ ${step}`]] : [];
    if (said.answer === "accepted") {
      this.state = "done";
      this.answer = [["good", `✓ ${this.say("said accepted")}`], ...next];
    } else if (said.answer === "unknown") {
      this.state = "open"; // the same id: asking again does nothing twice
      this.answer = [["bad", this.say(`said ${said.said || "unknown"}`)]];
    } else if (said.said === "has changed meanwhile") {
      this.state = "stale"; // the newest picture says how
    } else {
      this.state = "open";
      const why = said.said ? this.say(`said ${said.said}`) : `${this.say("said refused")}: ${text}`;
      this.answer = [["bad", said.rule ? `${why} (${said.rule})` : why], ...next];
      // A refusal is the answer to its id for ever: what is asked after it is another question.
      if (said.said !== "sign in first") this.id = freshId();
    }
    this.refresh();
  }
}
