// Shows what the stream says, rolls the digits that change, and tells the daemon what has been painted.
// Nobody says anything for `stale_ms`: *one moment*, by itself. No other host is ever asked.
const glass = document.getElementById("glass");
const caption = document.getElementById("caption");
const MOTION_MS = 800; // longer than the digits roll
const RETRY_MS = 2000;
const WAIT = "one moment";

let viewer = "";
let waitLines = [];
let goal = null; // as last told
let shown = { version: 0, what: WAIT };
let staleTimer = 0;
let saidTimer = 0;

function digit(character) {
  const cell = document.createElement("span");
  cell.className = "digit";
  const strip = document.createElement("span");
  for (let n = 0; n < 10; n += 1) {
    const one = document.createElement("i");
    one.textContent = String(n);
    strip.append(one);
  }
  cell.append(strip);
  cell.dataset.digit = "0";
  roll(cell, character);
  return cell;
}

function roll(cell, character) {
  cell.dataset.digit = character;
  cell.firstChild.style.transform = `translateY(-${1.1 * Number(character)}em)`;
}

function fixed(character) {
  const cell = document.createElement("span");
  cell.className = "fixed";
  cell.textContent = character === " " ? "\u00a0" : character;
  return cell;
}

const isDigit = (character) => character >= "0" && character <= "9";

// Digits that stand in the same place from the right keep their cell, so that they roll; the rest is made anew.
function paintAmount(text) {
  const old = glass.className === "amount" ? [...glass.children].reverse() : [];
  const cells = [...text].reverse().map((character, place) => {
    const cell = old[place];
    if (cell && cell.className === "digit" && isDigit(character)) {
      roll(cell, character);
      return cell;
    }
    return isDigit(character) ? digit(character) : fixed(character);
  });
  glass.className = "amount";
  glass.style.setProperty("--characters", String(Math.max(text.length, 4)));
  glass.replaceChildren(...cells.reverse());
  glass.setAttribute("aria-label", text);
}

function paintLines(lines, what) {
  glass.className = what === "won" ? "words won" : "words";
  glass.removeAttribute("aria-label");
  glass.replaceChildren(...lines.map((line) => {
    const paragraph = document.createElement("p");
    paragraph.textContent = line;
    return paragraph;
  }));
}

function paint(what, version, text, lines) {
  const isNews = shown.version !== version || shown.what !== what;
  if (isNews) {
    if (what === "amount") paintAmount(text); else paintLines(lines, what);
  }
  shown = { version, what };
  clearTimeout(saidTimer);
  // Said once it stands still, and only by a page that is really drawn: a hidden tab draws no frame.
  saidTimer = setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(say)), isNews ? MOTION_MS : 0);
}

function say() {
  if (!viewer) return;
  const body = JSON.stringify({ viewer, ...shown });
  fetch("/shown", { method: "POST", body }).catch(() => {}); // the stream tells that the daemon is gone
}

function wait() {
  paint(WAIT, goal ? goal.version : 0, "", waitLines);
}

function told(message) {
  if (message.viewer) {
    viewer = message.viewer;
    waitLines = message.wait;
    caption.textContent = message.caption;
    goal = null;
    shown = { version: -1, what: "" };
    wait();
    return;
  }
  if (message.alive) {
    say();
    return;
  }
  if (goal && message.version < goal.version) return; // late, and older than what stands there
  goal = message;
  clearTimeout(staleTimer);
  staleTimer = setTimeout(wait, message.stale_ms);
  paint(message.what, message.version, message.text, message.lines);
}

function listen() {
  const stream = new EventSource("/events");
  stream.onmessage = (event) => told(JSON.parse(event.data));
  stream.onerror = () => {
    // What stands there may be seconds old now: it stays until it is stale, as on any display.
    stream.close();
    viewer = "";
    setTimeout(listen, RETRY_MS);
  };
}

document.addEventListener("dblclick", () => document.documentElement.requestFullscreen?.());
document.addEventListener("keydown", (event) => {
  if (event.key === "f") document.documentElement.requestFullscreen?.();
});
listen();
