// The card account as a picture: where the cards lie, in numbers made into shapes. Nothing hangs on colour alone.
const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 440; // drawn as wide as its box: on a phone its letters are as large as all others
const ROW = 34;
const LABEL = 120;
const NUMBER = 52;
// From the reserve deck to the machine and back by the table: the way that cards go.
const ORDER = ["reserve", "aside", "hopper", "machine", "shoe", "table", "tray", "hand", "damaged", "exchanged", "unexplained"];

function draw(tag, given, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

function places(account) {
  const known = Object.entries(account.balances).filter(([, cards]) => cards);
  const rank = (place) => (ORDER.includes(place) ? ORDER.indexOf(place) : ORDER.length);
  return known.sort(([one], [other]) => rank(one) - rank(other));
}

// One bar a place, as long as its cards; a number below none is drawn as a bar of its size, hatched.
export function accountPicture(account, say) {
  const rows = places(account);
  const most = Math.max(1, ...rows.map(([, cards]) => Math.abs(cards)));
  const height = Math.max(1, rows.length) * ROW;
  const told = rows.map(([place, cards]) => `${say(place)} ${cards}`).join(", ");
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "account", role: "img", "aria-label": told });
  rows.forEach(([place, cards], at) => {
    const top = at * ROW;
    const isOdd = place === "unexplained" || cards < 0;
    const room = WIDTH - LABEL - NUMBER;
    const length = Math.max(4, (room * Math.abs(cards)) / most);
    svg.append(
      draw("text", { x: LABEL - 10, y: top + 23, "text-anchor": "end", class: "place" }, say(place)),
      draw("rect", { x: LABEL, y: top + 5, width: length, height: ROW - 10, rx: 3, class: isOdd ? "odd" : `at-${place}` }),
      draw("text", { x: LABEL + length + 8, y: top + 23, class: "cards" }, String(cards)),
    );
  });
  return svg;
}

// How far a procedure has come: so many of so many.
export function progressPicture(done, total, label) {
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} 30`, class: "progress", role: "img", "aria-label": `${label} ${done} / ${total}` });
  const room = WIDTH - 90;
  const length = total ? Math.min(room, (room * done) / total) : 0;
  svg.append(
    draw("rect", { x: 0, y: 4, width: room, height: 22, rx: 3, class: "trough" }),
    draw("rect", { x: 0, y: 4, width: length, height: 22, rx: 3, class: "done" }),
    draw("text", { x: room + 8, y: 22, class: "cards" }, `${done} / ${total}`),
  );
  return svg;
}
