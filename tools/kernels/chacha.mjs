import { layout } from './layout.mjs';
import { locals, loopBelow, numbered, range, repeat, zero } from './wat.mjs';

/** Rounds of the keystream. Key derivation always takes twenty. */
export const STREAM_ROUNDS = 12;
const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]; // "expand 32-byte k", RFC 8439 §2.3

const get = (name) => `(local.get $${name})`;
const operations = {
  wide: {
    add: 'i32x4.add',
    xor: 'v128.xor',
    rotate: (value, by) =>
      by % 8 === 0
        ? `(i8x16.swizzle ${value} (v128.const i8x16 ${range(16)
            .map((byte) => (byte & 12) | ((byte + 4 - by / 8) & 3))
            .join(' ')}))`
        : `(v128.or (i32x4.shl ${value} (i32.const ${by})) (i32x4.shr_u ${value} (i32.const ${32 - by})))`,
  },
  single: { add: 'i32.add', xor: 'i32.xor', rotate: (value, by) => `(i32.rotl ${value} (i32.const ${by}))` },
};

const quarterRound = ({ add, xor, rotate }, a, b, c, d) =>
  [
    [a, b, d, 16],
    [c, d, b, 12],
    [a, b, d, 8],
    [c, d, b, 7],
  ]
    .map(
      ([x, y, z, by]) => `
  (local.set $s${x} (${add} ${get(`s${x}`)} ${get(`s${y}`)}))
  (local.set $s${z} (${xor} ${get(`s${z}`)} ${get(`s${x}`)}))
  (local.set $s${z} ${rotate(get(`s${z}`), by)})`,
    )
    .join('');
const columns = range(4).map((i) => [i, i + 4, i + 8, i + 12]);
const diagonals = [
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];
const round = (kind, quarters) =>
  quarters.map((quarter) => quarterRound(operations[kind], ...quarter)).join('');

/**
 * One round of four blocks whose state lies at $target + `at`: of each quarter the four words, so that they
 * stay in registers.
 */
const roundAt = (at, quarters) =>
  quarters
    .map(
      (quarter) => `
  ${quarter.map((word) => `(local.set $s${word} (v128.load offset=${at + 16 * word} ${get('target')}))`).join('\n')}
  ${quarterRound(operations.wide, ...quarter)}
  ${quarter.map((word) => `(v128.store offset=${at + 16 * word} ${get('target')} ${get(`s${word}`)})`).join('\n')}`,
    )
    .join('');

const initial = (half, word) => {
  if (word < 4)
    return `(v128.const i32x4 ${range(4)
      .map(() => SIGMA[word])
      .join(' ')})`;
  if (word < 12) return `(v128.load32_splat offset=${layout.key + 4 * (word - 4)} (i32.const 0))`;
  return [
    `(i32x4.add ${get('low')} (v128.const i32x4 ${range(4)
      .map((lane) => 4 * half + lane)
      .join(' ')}))`,
    get('high'),
    zero,
    zero,
  ][word - 12];
};
const bothHalves = (template) =>
  range(2)
    .map((half) => repeat(16, (word) => template(half, word)))
    .join('\n');

/**
 * A batch: blocks 8 $batch to 8 $batch + 7 (64-bit counter, little-endian in words 12 and 13), 512 bytes at
 * $target. The first four blocks are stored word by word (word 0 of the four, then word 1 of the four, …),
 * then the other four likewise: a fixed public order that saves the transposition. Two times four blocks take
 * turns, so that one computes while the other waits for its chain of dependent operations.
 */
const batch = `
  (func $batch (param $batch i64) (param $target i32)
    ${numbered('v128', 's', 16)} ${locals('v128', 'low', 'high')} (local $round i32)
    (local.set $batch (i64.shl ${get('batch')} (i64.const 3)))
    (local.set $low (i32x4.splat (i32.wrap_i64 ${get('batch')})))
    (local.set $high (i32x4.splat (i32.wrap_i64 (i64.shr_u ${get('batch')} (i64.const 32)))))
    ${bothHalves((half, word) => `(v128.store offset=${256 * half + 16 * word} ${get('target')} ${initial(half, word)})`)}
    (loop $rounds
      ${[columns, diagonals].flatMap((quarters) => [roundAt(0, quarters), roundAt(256, quarters)]).join('\n')}
      (br_if $rounds (i32.lt_u (local.tee $round (i32.add ${get('round')} (i32.const 2))) (i32.const ${STREAM_ROUNDS}))))
    ${bothHalves(
      (half, word) => `(v128.store offset=${256 * half + 16 * word} ${get('target')}
      (i32x4.add (v128.load offset=${256 * half + 16 * word} ${get('target')}) ${initial(half, word)}))`,
    )})

  (func (export "keystream") (param $first f64) (param $target i32) (param $count i32)
    (local $batch i64) (local $done i32)
    (global.set $isHeld (i32.const 0))
    (local.set $batch (i64.trunc_sat_f64_u ${get('first')}))
    ${loopBelow(
      'done',
      get('count'),
      1,
      `
      (call $batch ${get('batch')} ${get('target')})
      (local.set $batch (i64.add ${get('batch')} (i64.const 1)))
      (local.set $target (i32.add ${get('target')} (i32.const 512)))`,
    )})`;

/** One block on the key, with the four given input words and any even number of rounds, at layout.block. */
const oneBlock = `
  (func (export "block") (param $rounds i32) ${range(4)
    .map((i) => `(param $in${i} i32)`)
    .join(' ')}
    ${numbered('i32', 's', 16)}
    ${repeat(4, (word) => `(local.set $s${word} (i32.const ${SIGMA[word]}))`)}
    ${repeat(8, (word) => `(local.set $s${word + 4} (i32.load offset=${layout.key + 4 * word} (i32.const 0)))`)}
    ${repeat(4, (word) => `(local.set $s${word + 12} ${get(`in${word}`)})`)}
    (loop $more
      ${round('single', columns)} ${round('single', diagonals)}
      (br_if $more (local.tee $rounds (i32.sub ${get('rounds')} (i32.const 2)))))
    ${repeat(16, (word) => {
      const inputOf = () => {
        if (word < 4) return `(i32.const ${SIGMA[word]})`;
        if (word < 12) return `(i32.load offset=${layout.key + 4 * (word - 4)} (i32.const 0))`;
        return get(`in${word - 12}`);
      };
      return `(i32.store offset=${layout.block + 4 * word} (i32.const 0) (i32.add ${get(`s${word}`)}
      ${inputOf()}))`;
    })})`;

export const chachaKernels = [batch, oneBlock].join('\n');
