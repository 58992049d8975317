import { layout } from './layout.mjs';
import { locals, loopBelow, numbered, range, repeat, zero } from './wat.mjs';

const get = (name) => `(local.get $${name})`;

/** Bytes that one sum takes in. */
export const BLOCK_BYTES = 1024;
/** Sums of each block, each with the key 32 bytes further on. */
export const SUMS = 4;
const GROUP = 32; // bytes: two times four words of 32 bits

const sumsOfGroup = (at) => `
  (local.set $left (v128.load offset=${at} ${get('source')}))
  (local.set $right (v128.load offset=${at + 16} ${get('source')}))
  (local.set $taint (f64x2.add ${get('taint')} (f64x2.add
    (f64x2.sub ${get('left')} ${get('left')}) (f64x2.sub ${get('right')} ${get('right')}))))
  ${repeat(
    SUMS,
    (t) => `
    (local.set $a (i32x4.add ${get('left')} (v128.load offset=${layout.longKey + at + GROUP * t} ${get('place')})))
    (local.set $b (i32x4.add ${get('right')} (v128.load offset=${layout.longKey + at + GROUP * t + 16} ${get('place')})))
    (local.set $sum${t} (i64x2.add ${get(`sum${t}`)} (i64x2.add
      (i64x2.extmul_low_i32x4_u ${get('a')} ${get('b')}) (i64x2.extmul_high_i32x4_u ${get('a')} ${get('b')}))))`,
  )}`;

const UNROLL = 2;

/**
 * NH (Black, Halevi, Krawczyk, Krovetz and Rogaway 1999, §5) of each block of bytes, four times with the key
 * moved on: sum over pairs of words of (m + k)(m' + k'), modulo 2^32 inside and 2^64 outside. Pairs are words
 * four apart in groups of eight, and the key moves on by a group, so that each sum meets a pair of key words
 * that the sums before it did not meet beside the same words. Writes SUMS words of 64 bits a
 * block; 1 if the blocks are of finite doubles: of these alone, differences with themselves are 0.
 */
export const longHashKernels = `
  (func (export "longSums") (param $source i32) (param $blocks i32) (param $target i32) (result i32)
    ${locals('i32', 'block', 'place')} (local $taint v128) ${numbered('v128', 'sum', SUMS)} ${locals('v128', 'left', 'right', 'a', 'b')}
    ${loopBelow(
      'block',
      get('blocks'),
      1,
      `
      ${repeat(SUMS, (t) => `(local.set $sum${t} ${zero})`)}
      (local.set $place (i32.const 0))
      ${loopBelow(
        'place',
        `(i32.const ${BLOCK_BYTES})`,
        GROUP * UNROLL,
        `
        ${range(UNROLL)
          .map((u) => sumsOfGroup(GROUP * u))
          .join('\n')}
        (local.set $source (i32.add ${get('source')} (i32.const ${GROUP * UNROLL})))`,
      )}
      ${repeat(
        SUMS,
        (t) => `(i64.store offset=${8 * t} ${get('target')} (i64.add
          (i64x2.extract_lane 0 ${get(`sum${t}`)}) (i64x2.extract_lane 1 ${get(`sum${t}`)})))`,
      )}
      (local.set $target (i32.add ${get('target')} (i32.const ${8 * SUMS})))`,
    )}
    (i64x2.all_true (f64x2.eq ${get('taint')} ${zero})))`;
