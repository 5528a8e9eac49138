// Reads a JSON list of {hex, wait_ms} from its input, gives the pieces to serialport's ccTalk parser with those pauses
// between them, and prints each frame that it finds as a line of hex. The module's folder is its argument.
const { createRequire } = require("module");
const { CCTalkParser } = createRequire(process.argv[2] + "/")("@serialport/parser-cctalk");

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function main() {
  let text = "";
  for await (const chunk of process.stdin) text += chunk;
  const parser = new CCTalkParser();
  parser.on("data", (frame) => console.log(frame.toString("hex")));
  for (const piece of JSON.parse(text)) {
    if (piece.wait_ms) await sleep(piece.wait_ms);
    parser.write(Buffer.from(piece.hex, "hex"));
  }
  await sleep(10);
}

main();
