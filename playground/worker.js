// The engine's side of the page: a worker, or where there can be none a part of the page that gives way now and then.
// Questions are {id, question} and are answered in turn with {id, answer}; a run is one question, answered when it ends, with
// {progress} before. {pause: true} ends it early.
function serveEngine(send, makeEngine, wasm) {
  'use strict';
  let engine = null, running = null, queue = [];

  // What is too deep for its stack, or too much for its memory, leaves an engine that nobody may ask again.
  function answer(question) {
    try {
      return asked(question);
    } catch (problem) {
      return {failure: `The engine has failed: ${problem}`, dead: true};
    }
  }
  function asked(question) {
    const text = JSON.stringify(question), room = engine.lengthBytesUTF8(text) + 1, at = engine._malloc(room);
    engine.stringToUTF8(text, at, room);
    const given = engine.UTF8ToString(engine._playground_answer(at));
    engine._free(at);
    return JSON.parse(given);
  }

  function picture(wanted) {
    if (!wanted) return null;
    const at = engine._playground_pixels(wanted.memory, wanted.address, wanted.width, wanted.height, wanted.format);
    if (!at) return null;
    const bytes = new Uint8ClampedArray(wanted.width * wanted.height * 4);
    bytes.set(new Uint8Array(engine.HEAPU8.buffer, at, bytes.length));
    return {width: wanted.width, height: wanted.height, bytes};
  }

  // A slice lasts about as long as two pictures of a screen; between them there is time for other questions.
  function slice() {
    if (!running) return;
    const begin = performance.now(), now = answer({do: 'run', limit: running.limit, brief: !running.pause});
    const took = performance.now() - begin;
    running.limit = Math.max(1000, Math.min(5e7, Math.round(running.limit * Math.min(4, 30 / Math.max(took, 1)))));
    running.output += now.output || '';
    const ended = now.failure || now.reason !== 'running' || running.pause;
    if (ended) {
      const {id, wanted, output} = running, paused = running.pause && now.reason === 'running';
      running = null;
      send({id, answer: Object.assign(now, {output, reason: paused ? 'paused' : now.reason, picture: picture(wanted)})});
      return next();
    }
    if (performance.now() - running.shown > 100) {
      send({progress: {instructions: now.instructions, output: running.output, picture: picture(running.wanted)}});
      running.output = '';
      running.shown = performance.now();
    }
    later(slice);
  }

  const channel = new MessageChannel();
  let waiting = [];
  channel.port1.onmessage = () => waiting.shift()();
  function later(what) { waiting.push(what); channel.port2.postMessage(0); }

  function next() {
    while (engine && !running && queue.length) {
      const {id, question} = queue.shift();
      if (question.do === 'go') {
        running = {id, limit: 100000, wanted: question.picture, output: '', shown: performance.now(), pause: false};
        later(slice);
      } else if (question.do === 'picture') {
        send({id, answer: {picture: picture(question.picture)}});
      } else {
        const begin = performance.now(), given = answer(question);
        given.milliseconds = performance.now() - begin;
        send({id, answer: given});
      }
    }
  }

  makeEngine({wasmBinary: wasm}).then(made => { engine = made; send({ready: true}); next(); },
                                      problem => send({problem: String(problem)}));
  return message => {
    if (message.pause) { if (running) running.pause = true; return; }
    queue.push(message);
    next();
  };
}
