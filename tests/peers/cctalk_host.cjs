// A host of one coin acceptor on serialport's ccTalk parser: it opens the acceptor for one coin, reads its events until
// a coin was credited, and shuts it. Every frame that comes is cut by the parser; checks are summed here.
// Arguments: the parser's folder, the acceptor's port, its address, the coin. Prints one line of JSON for what it did.
const fs = require("fs");
const { createRequire } = require("module");
const { CCTalkParser } = createRequire(process.argv[2] + "/")("@serialport/parser-cctalk");

const [, , , port, address, coin] = process.argv;
const HOST = 1;
const [MASTER_INHIBIT, INHIBITS, READ_CREDIT] = [228, 231, 229];
const ANSWER_MS = 500;
const POLL_MS = 50;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (what) => console.log(JSON.stringify(what));

function command(header, ...data) {
  const frame = [Number(address), data.length, HOST, header, ...data];
  const sum = frame.reduce((total, byte) => total + byte, 0);
  return Buffer.from([...frame, (256 - (sum % 256)) % 256]);
}

async function main() {
  const parser = new CCTalkParser();
  const descriptor = fs.openSync(port, "r+");
  const incoming = fs.createReadStream("", { fd: descriptor, autoClose: false });
  const frames = [];
  let waiting = null;
  parser.on("data", (frame) => (waiting ? waiting(frame) : frames.push(frame)));
  incoming.on("data", (chunk) => parser.write(chunk));

  async function ask(header, ...data) {
    fs.writeSync(descriptor, command(header, ...data));
    const answer = await Promise.race([
      new Promise((resolve) => {
        waiting = resolve;
      }),
      sleep(ANSWER_MS).then(() => null),
    ]);
    waiting = null;
    if (!answer) throw new Error(`no answer to ${header}`);
    if (answer.reduce((total, byte) => total + byte, 0) % 256) throw new Error(`wrong check in ${answer.toString("hex")}`);
    if (answer[0] !== HOST || answer[2] !== Number(address) || answer[3] !== 0) throw new Error("an answer of somebody else");
    return answer.subarray(4, 4 + answer[1]);
  }

  const mask = 1 << (Number(coin) - 1);
  await ask(INHIBITS, mask & 0xff, mask >> 8);
  const before = (await ask(READ_CREDIT))[0];
  await ask(MASTER_INHIBIT, 1);
  say({ open: true });
  for (;;) {
    const credit = await ask(READ_CREDIT);
    if (credit[0] !== before) {
      await ask(MASTER_INHIBIT, 0);
      say({ counter: credit[0], coin: credit[1], path: credit[2] });
      process.exit(0);
    }
    await sleep(POLL_MS);
  }
}

main().catch((error) => {
  say({ failed: String(error) });
  process.exit(1);
});
