// Listens to the stream, paints what it says, and says within three seconds that it says nothing any more.
import { Painter, make } from "./paint.js";
import { Forms } from "./forms.js";
import { Screen } from "./screen.js";

const OLD_MS = 2500; // a beat comes each second
const RETRY_MS = 1000;
const LOOK_MS = 500;

const main = document.getElementById("main");
const old = document.getElementById("old");
const names = await (await fetch("/names.json")).json();
const known = Object.keys(names);

// The language that was chosen here, else the first of the browser's that there is: pt-PT, pt and zh-TW find theirs.
function firstLanguage() {
  const kept = localStorage.getItem("language");
  if (known.includes(kept)) return kept;
  for (const wanted of navigator.languages) {
    const found = known.find((each) => each.split("_")[0] === wanted.split("-")[0]);
    if (found) return found;
  }
  return known[0];
}

// What is said in a language, fetched once; a screen without a connection keeps the language that it has.
const spokenIn = {};
async function learn(wanted) {
  spokenIn[wanted] ??= await (await fetch(`/words.json?language=${wanted}`)).json();
  language = wanted;
}

let language = firstLanguage();
await learn(language);
let told = null;
let heardMs = Date.now();
let stream = null;
let spoken = "";

const tableName = () => decodeURIComponent(location.hash.slice(1));
let unknown = ""; // a table that this host does not have

function painter() {
  const second = new URLSearchParams(location.search).get("second") ?? told?.second;
  return new Painter(spokenIn[language], language, known.includes(second) && second !== language ? second : null);
}

const screen = new Screen({ say: (...said) => painter().say(...said), tableName, listen, changed: paint });
const sheet = new Forms({ painter, forms: spokenIn[language].forms, screen, offers: () => told?.table?.offers ?? [], told: () => told });

// What had the focus has it again: the picture is made anew, its buttons keep their names.
function paint() {
  screen.paint();
  if (!told) return;
  const name = tableName();
  const tile = told.tiles.find((each) => each.table === name);
  const made = painter();
  const [place, focused] = [scrollY, document.activeElement?.dataset?.key];
  const open = new Set([...main.querySelectorAll("details[open]")].map((each) => each.dataset.key));
  made.acts = { may: screen, open: (offer) => sheet.open(offer) };
  main.replaceChildren(...(tile && told.table ? made.table(tile, told.table) : made.pit(told)));
  for (const each of main.querySelectorAll("details")) each.open = open.has(each.dataset.key);
  if (focused) main.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  scrollTo(0, place);
  document.getElementById("title").textContent = `${made.say("pit")} ${told.host}`;
  document.title = tile ? `${tile.table} · Tableside` : `${made.say("pit")} ${told.host} · Tableside`;
  speak(made);
  sheet.refresh();
}

// Only a new alert is read aloud, not the whole picture with each row.
function speak(made) {
  const alerts = told.table ? told.table.alerts : told.tiles.flatMap((each) => each.worst ?? []);
  const text = alerts.filter((each) => each.progress === "new").map((each) => each.lines[made.language][0]).join(" ");
  if (text !== spoken) document.getElementById("told").textContent = text;
  spoken = text;
}

function listen() {
  stream?.close();
  let isOpen = false;
  const name = tableName();
  stream = new EventSource(name ? `/events?table=${encodeURIComponent(name)}` : "/events");
  const mine = stream;
  stream.addEventListener("message", (event) => {
    heardMs = Date.now();
    isOpen = true;
    told = JSON.parse(event.data);
    paint();
  });
  stream.addEventListener("me", (event) => {
    heardMs = Date.now();
    screen.hear(JSON.parse(event.data));
    paint();
  });
  stream.addEventListener("beat", () => { heardMs = Date.now(); });
  stream.addEventListener("error", () => {
    if (mine !== stream || mine.readyState !== EventSource.CLOSED) return;
    if (!isOpen && name && name !== unknown && !told) { unknown = name; location.hash = ""; return; }
    setTimeout(() => { if (mine === stream) listen(); }, RETRY_MS);
  });
}

function look() {
  screen.paint();
  sheet.refresh();
  const ageMs = Date.now() - heardMs;
  const isOld = ageMs >= OLD_MS;
  old.hidden = !isOld;
  main.classList.toggle("is-old", isOld);
  if (!isOld) return;
  const made = painter();
  old.replaceChildren(make("p", "", made.say("old", { n: Math.round(ageMs / 1000) })), make("p", "", made.say("old step")));
}

document.getElementById("languages").append(...known.map((each) => {
  const button = make("button", "", names[each]);
  button.type = "button";
  button.lang = each.replace(/_/g, "-");
  button.setAttribute("aria-pressed", String(each === language));
  button.addEventListener("click", async () => {
    try { await learn(each); } catch { return; }
    localStorage.setItem("language", each);
    document.documentElement.lang = button.lang;
    for (const other of button.parentElement.children) other.setAttribute("aria-pressed", String(other === button));
    paint();
    look();
  });
  return button;
}));
document.documentElement.lang = language.replace(/_/g, "-");
addEventListener("hashchange", () => { told = null; sheet.close(); listen(); });
setInterval(look, LOOK_MS);
listen();
