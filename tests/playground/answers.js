// Asks the playground's engine without a browser: a question a line on standard input, an answer a line on standard output.
//
//     node answers.js BUILD-FOLDER
'use strict';
const fs = require('fs'), path = require('path'), readline = require('readline');

const folder = path.resolve(process.argv[2]);
require(path.join(folder, 'engine.js'))({wasmBinary: fs.readFileSync(path.join(folder, 'engine.wasm'))}).then(engine => {
  readline.createInterface({input: process.stdin}).on('line', line => {
    const room = engine.lengthBytesUTF8(line) + 1, at = engine._malloc(room);
    engine.stringToUTF8(line, at, room);
    const began = process.hrtime.bigint(), answer = engine.UTF8ToString(engine._playground_answer(at));
    engine._free(at);
    if (process.env.TIMES) process.stderr.write(`${Number(process.hrtime.bigint() - began) / 1e6} ms ${line.slice(0, 60)}\n`);
    process.stdout.write(answer + '\n');
  });
});
