// Runs the module of a client as a page would: with entropy, with none, and with a generator that ends after some bytes.
import { webcrypto } from "node:crypto";
import { readFile } from "node:fs/promises";

const module = await WebAssembly.compile(await readFile(process.argv[2]));

// What the client says if the host has so many bytes to give.
async function status(bytes) {
    const entropy = (start, length) => {
        bytes -= length;
        if (bytes < 0) return 1;
        webcrypto.getRandomValues(new Uint8Array(instance.exports.memory.buffer, start, length));
        return 0;
    };
    const instance = await WebAssembly.instantiate(module, { host: { entropy } });
    return instance.exports.status();
}

const said = [await status(Infinity), await status(0), await status(100)];
if (said.join() !== "0,2,2") {
    console.error(`the client says ${said}, and not 0,2,2`);
    process.exit(1);
}
