import { InvalidParameter } from '../errors.js';
import { layout } from '../linalg/kernels.wasm.js';
import { BATCH_WORDS } from './chacha.reference.js';
import { keystreamEngine, setKey } from './keystream-engine.js';
import { eachLabelBlock } from './label-blocks.js';
import type { RandomSource } from './random-source.js';
import { exponentialFrom, type NextWord } from './ziggurat.reference.js';
import { defined } from '../defined.js';

const DERIVATION_ROUNDS = 20;
const two53 = 2 ** 53;

/**
 * The source of a key. Draws read one stream of 64-bit words: ChaCha with twelve rounds in counter mode. A
 * fork's key is the cascade of ChaCha with twenty rounds, as a keyed function, over the blocks of the label.
 */
export class KeystreamSource implements RandomSource {
  readonly kind: RandomSource['kind'];
  readonly #key: Uint32Array;
  /** Next word of the stream: `#batch * BATCH_WORDS + #word`. */
  #batch = 0;
  #word = 0;
  /** The words of batch `#held`, as pairs (low, high). */
  #words: Uint32Array | undefined;
  #held = -1;
  readonly #next: NextWord = (words) => {
    const at = this.#advance();
    words[0] = defined(this.#words)[at];
    words[1] = defined(this.#words)[at + 1];
  };

  constructor(key: Uint32Array, kind: RandomSource['kind']) {
    this.#key = key;
    this.kind = kind;
  }

  bits32(): number {
    const at = this.#advance();
    return defined(this.#words)[at];
  }

  bits53(): number {
    const at = this.#advance();
    return defined(this.#words)[at + 1] * 2 ** 21 + (defined(this.#words)[at] >>> 11);
  }

  uniform(): number {
    for (;;) {
      const bits = this.bits53();
      if (bits > 0) return bits / two53;
    }
  }

  integer(below: number): number {
    if (!Number.isSafeInteger(below) || below < 1) {
      throw new InvalidParameter(
        `integer(${below}) cannot be drawn; the bound must be a whole number from 1 to 2^53 - 1`,
        { below },
      );
    }
    if (below <= 0xffffffff) {
      const bound = below >>> 0; // a remainder of 32-bit integers: that of doubles takes ten times as long
      const surely = 0xffffffff - bound;
      for (;;) {
        const bits = this.bits32();
        if (bits <= surely || bits < 0x100000000 - (0x100000000 % bound)) return (bits >>> 0) % bound;
      }
    }
    const limit = two53 - (two53 % below);
    for (;;) {
      const bits = this.bits53();
      if (bits < limit) return bits % below;
    }
  }

  bytes(count: number): Uint8Array {
    if (!Number.isSafeInteger(count) || count < 0)
      throw new InvalidParameter(`${count} bytes cannot be drawn; give a whole number from 0 on`, { count });
    const words = new Uint32Array(2 * Math.ceil(count / 8));
    const pair = new Uint32Array(2);
    for (let i = 0; i < words.length; i += 2) {
      this.#next(pair);
      words.set(pair, i);
    }
    return new Uint8Array(words.buffer).slice(0, count);
  }

  gaussianInto(out: Float64Array): Float64Array {
    return this.#fill(out, (kernels, position, address, count) => kernels.gaussian(position, address, count));
  }

  laplaceInto(out: Float64Array): Float64Array {
    return this.#fill(out, (kernels, position, address, count) =>
      kernels.exponential(position, address, count, 1),
    );
  }

  exponential(): number {
    return exponentialFrom(this.#next, false);
  }

  fork(label: string | number): RandomSource {
    return new KeystreamSource(derivedKey(this.#key, label), this.kind);
  }

  key(): Uint8Array {
    return new Uint8Array(this.#key.slice().buffer);
  }

  /** Advances by one word; returns its index in `#words`. */
  #advance(): number {
    if (this.#word === BATCH_WORDS) {
      this.#batch++;
      this.#word = 0;
    }
    if (this.#held !== this.#batch) {
      const engine = keystreamEngine();
      setKey(engine, this.#key);
      engine.kernels.keystream(this.#batch, layout.batch, 1);
      this.#words ??= roomForBatch();
      this.#words.set(engine.batch);
      this.#held = this.#batch;
    }
    return 2 * this.#word++;
  }

  #fill(
    out: Float64Array,
    kernel: (
      kernels: ReturnType<typeof keystreamEngine>['kernels'],
      position: number,
      address: number,
      count: number,
    ) => number,
  ): Float64Array {
    const engine = keystreamEngine(out);
    setKey(engine, this.#key);
    let position = this.#batch * BATCH_WORDS + this.#word;
    if (out.buffer === engine.memory.buffer)
      position = kernel(engine.kernels, position, out.byteOffset, out.length);
    else {
      const { staging } = engine;
      for (let from = 0; from < out.length; from += staging.length) {
        const count = Math.min(staging.length, out.length - from);
        position = kernel(engine.kernels, position, staging.byteOffset, count);
        if (count < 64) for (let i = 0; i < count; i++) out[from + i] = staging[i];
        else out.set(count === staging.length ? staging : staging.subarray(0, count), from);
      }
    }
    this.#batch = Math.floor(position / BATCH_WORDS);
    this.#word = position % BATCH_WORDS;
    return out;
  }
}

/** The words of so many sources share an array: most are forks of few draws, and arrays are slow to free. */
const sharing = 64;
let shared = new Uint32Array(0);
let taken = 0;

function roomForBatch(): Uint32Array {
  if (taken === shared.length) {
    shared = new Uint32Array(sharing * 2 * BATCH_WORDS);
    taken = 0;
  }
  return shared.subarray(taken, (taken += 2 * BATCH_WORDS));
}

/** Key of the fork of `key` with the label `label`. */
export function derivedKey(key: Uint32Array, label: string | number): Uint32Array {
  const engine = keystreamEngine();
  const child = key.slice();
  eachLabelBlock(label, (a, b, c, tag) => {
    setKey(engine, child);
    engine.kernels.block(DERIVATION_ROUNDS, a, b, c, tag);
    for (let i = 0; i < 8; i++) child[i] = engine.block[i];
  });
  return child;
}
