// Whose screen this is: asks for a sign-in, says where to tap, counts down, and sends what is asked of the table.
import { make } from "./paint.js";

const POST = { method: "POST", headers: { "Content-Type": "application/json", "X-Tableside": "1" } };
const ANSWER_MS = 35000; // the table itself says after 30 s that nobody knows yet

export async function post(path, body) {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(path, { ...POST, body: JSON.stringify(body), signal });
  const said = answer.headers.get("Content-Type")?.startsWith("application/json") ? await answer.json() : { answer: "mistaken", said: "not understood" };
  return { status: answer.status, ...said };
}

export class Screen {
  constructor({ say, tableName, listen, changed }) {
    Object.assign(this, { say, tableName, listen, changed });
    this.me = { state: "out" };
    this.untilMs = null;
    this.refused = "";
    this.painted = "";
  }

  hear(me) {
    this.me = me;
    this.untilMs = me.left_s === null || me.left_s === undefined ? null : Date.now() + 1000 * me.left_s;
    if (me.state !== "out") this.refused = "";
  }

  get isIn() { return this.me.state === "in"; }

  // Whether an offer is for this badge, here: the table decides in the end.
  may(offer) {
    return this.isIn && offer.roles.some((role) => this.me.roles.includes(role)) &&
      (offer.reach !== "at its own table" || this.me.table === this.tableName());
  }

  leftS() { return this.untilMs === null ? null : Math.max(0, Math.ceil((this.untilMs - Date.now()) / 1000)); }

  async ask() {
    this.refused = "";
    try {
      const said = await post("/sign-in", { table: this.tableName() });
      if (said.answer === "accepted") this.listen();
      else this.refused = said.said;
    } catch { this.refused = "no connection"; }
    this.changed();
  }

  async leave() {
    try { await post("/sign-out", {}); } catch { this.refused = "no connection"; }
    this.listen();
  }

  // What stands in the head; in a form the same lines.
  lines() {
    const { me } = this;
    if (me.state === "waiting") return [this.say("said tap", { table: me.table }), ...(me.note ? [this.say(`said ${me.note}`)] : [])];
    if (me.state === "in") {
      const role = me.roles.map((each) => this.say(`role ${each}`)).join(", ");
      return [this.say("said signed in as", { name: me.name, role })];
    }
    if (this.refused) return [this.say(`said ${this.refused}`)];
    return me.state === "over" && me.why !== "signed out" ? [this.say(`said ${me.why}`)] : [];
  }

  paint() {
    const place = document.getElementById("screen");
    const left = this.leftS();
    const told = JSON.stringify([this.lines(), left, this.me.state, this.tableName(), this.say("said sign in")]);
    if (told === this.painted) return;
    this.painted = told;
    const focused = document.activeElement?.dataset?.key;
    const lines = this.lines().map((line) => make("p", "", line));
    const parts = [];
    if (this.me.state === "in") {
      const time = left === null ? this.say("said badge lies there") : this.say("said seconds", { n: left });
      lines[0].append(make("span", left !== null && left <= 10 ? "left soon" : "left", time));
      parts.push(this.button("said sign out", () => this.leave()));
    } else if (this.me.state === "waiting") {
      lines[0].append(make("span", "left", this.say("said seconds", { n: left ?? 0 })));
      parts.push(this.button("said cancel", () => this.leave()));
    } else if (this.tableName()) {
      parts.push(this.button("said sign in", () => this.ask()));
    }
    place.className = this.me.state;
    place.replaceChildren(...lines, ...parts);
    if (focused?.startsWith("said ")) place.querySelector("button")?.focus();
  }

  button(word, act) {
    const button = make("button", "", this.say(word));
    button.type = "button";
    button.dataset.key = word;
    button.addEventListener("click", act);
    return button;
  }
}
