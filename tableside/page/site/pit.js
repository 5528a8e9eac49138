// Listens to the stream, paints what it says, and says within three seconds that it says nothing any more.
import { Painter, make } from "./paint.js";

const OLD_MS = 2500; // a beat comes each second
const RETRY_MS = 1000;
const LOOK_MS = 500;

const main = document.getElementById("main");
const old = document.getElementById("old");
const { words, names } = await (await fetch("/words.json")).json();
const known = Object.keys(words);

let language = known.find((each) => each === localStorage.getItem("language")) ?? known[0];
let told = null;
let heardMs = Date.now();
let stream = null;

const tableName = () => decodeURIComponent(location.hash.slice(1));
let unknown = ""; // a table that this host does not have

function painter() {
  const second = new URLSearchParams(location.search).get("second");
  return new Painter(words, language, known.includes(second) && second !== language ? second : null);
}

function paint() {
  if (!told) return;
  const name = tableName();
  const tile = told.tiles.find((each) => each.table === name);
  const made = painter();
  const place = scrollY;
  main.replaceChildren(...(tile && told.table ? made.table(tile, told.table) : made.pit(told)));
  scrollTo(0, place);
  document.getElementById("title").textContent = `${made.say("pit")} ${told.host}`;
  document.title = tile ? `${tile.table} · Tableside` : `${made.say("pit")} ${told.host} · Tableside`;
}

function listen() {
  stream?.close();
  told = null;
  const name = tableName();
  stream = new EventSource(name ? `/events?table=${encodeURIComponent(name)}` : "/events");
  const mine = stream;
  stream.addEventListener("message", (event) => {
    heardMs = Date.now();
    told = JSON.parse(event.data);
    paint();
  });
  stream.addEventListener("beat", () => { heardMs = Date.now(); });
  stream.addEventListener("error", () => {
    if (mine !== stream || mine.readyState !== EventSource.CLOSED) return;
    if (!told && name && name !== unknown) { unknown = name; location.hash = ""; return; }
    setTimeout(() => { if (mine === stream) listen(); }, RETRY_MS);
  });
}

function look() {
  const ageMs = Date.now() - heardMs;
  old.hidden = ageMs < OLD_MS;
  if (old.hidden) return;
  const made = painter();
  old.replaceChildren(make("p", "", made.say("old", { n: Math.round(ageMs / 1000) })), make("p", "", made.say("old step")));
}

document.getElementById("languages").append(...known.map((each) => {
  const button = make("button", "", names[each]);
  button.type = "button";
  button.lang = each.replace(/_/g, "-");
  button.setAttribute("aria-pressed", String(each === language));
  button.addEventListener("click", () => {
    language = each;
    localStorage.setItem("language", each);
    document.documentElement.lang = button.lang;
    for (const other of button.parentElement.children) other.setAttribute("aria-pressed", String(other === button));
    paint();
    look();
  });
  return button;
}));
document.documentElement.lang = language.replace(/_/g, "-");
addEventListener("hashchange", listen);
setInterval(look, LOOK_MS);
listen();
