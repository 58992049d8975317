import { layout } from './layout.mjs';
import { locals, loopBelow, numbered, range, repeat } from './wat.mjs';

const get = (name) => `(local.get $${name})`;
const add = (a, b) => `(local.set $v${a} (i64.add ${get(`v${a}`)} ${get(`v${b}`)}))`;
const mix = (a, b, by) =>
  `(local.set $v${a} (i64.xor (i64.rotl ${get(`v${a}`)} (i64.const ${by})) ${get(`v${b}`)}))`;
const turn = (a) => `(local.set $v${a} (i64.rotl ${get(`v${a}`)} (i64.const 32)))`;

/** SipRound (Aumasson and Bernstein 2012, §2). */
const round = [
  add(0, 1),
  mix(1, 0, 13),
  turn(0),
  add(2, 3),
  mix(3, 2, 16),
  add(0, 3),
  mix(3, 0, 21),
  add(2, 1),
  mix(1, 2, 17),
  turn(2),
].join('\n');
const xorInto = (word, value) => `(local.set $v${word} (i64.xor ${get(`v${word}`)} ${value}))`;
const loadState = repeat(
  4,
  (word) => `(local.set $v${word} (i64.load offset=${layout.hash + 8 * word} (i32.const 0)))`,
);
const output = `(i64.xor (i64.xor ${get('v0')} ${get('v1')}) (i64.xor ${get('v2')} ${get('v3')}))`;

/**
 * SipHash-2-4 with 128-bit output: absorbs whole 8-byte words; `hashFinish` leaves the digest at layout.hash.
 */
export const siphashKernels = `
  (func (export "hashWords") (param $source i32) (param $bytes i32)
    ${locals('i32', 'o')} ${numbered('i64', 'v', 4)} (local $word i64)
    ${loadState}
    ${loopBelow(
      'o',
      get('bytes'),
      8,
      `
      (local.set $word (i64.load (i32.add ${get('source')} ${get('o')})))
      ${xorInto(3, get('word'))}
      ${range(2)
        .map(() => round)
        .join('\n')}
      ${xorInto(0, get('word'))}`,
    )}
    ${repeat(4, (word) => `(i64.store offset=${layout.hash + 8 * word} (i32.const 0) ${get(`v${word}`)})`)})
  (func (export "hashFinish")
    ${numbered('i64', 'v', 4)}
    ${loadState}
    ${xorInto(2, '(i64.const 0xee)')} ${range(4)
      .map(() => round)
      .join('\n')}
    (i64.store offset=${layout.hash} (i32.const 0) ${output})
    ${xorInto(1, '(i64.const 0xdd)')} ${range(4)
      .map(() => round)
      .join('\n')}
    (i64.store offset=${layout.hash + 8} (i32.const 0) ${output}))`;
