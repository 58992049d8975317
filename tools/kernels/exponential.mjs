import { f64, f64x2, range } from './wat.mjs';

/*
 * exp(t) = 2^k exp(r) with k = round(t / ln 2), |r| <= ln 2 / 2, and the [6/6] Padé approximant
 * exp(r) = (E + O) / (E - O), E = 1 + 5r²/44 + r⁴/792 + r⁶/665280, O = r (1/2 + r²/66 + r⁴/15840),
 * whose truncation error there is below 2e-19.
 */
const LN2_HIGH = 0.6931471804855391; // 33 leading bits of ln 2, so that k * LN2_HIGH is exact
const LN2_LOW = 7.440617110012397e-11;
const ROUND = 6755399441055744; // 1.5 * 2^52: adding it leaves round(x) in the low bits

export const exponentialConstants = { LN2_HIGH, LN2_LOW, ROUND };

/** Locals that {@link halvesOfExponential} needs, for one suffix. */
export const exponentialLocals = (s) =>
  ['t', 'k', 'r', 'q', 'even', 'odd'].map((name) => `(local $${name}${s} v128)`).join(' ');

/**
 * For v128 `$t<s>` (clamped here to ±708; NaN passes through) sets `$even<s>` = E - O and `$odd<s>` = 2^k (E
 * + O), so that exp(t) = odd / even.
 */
export const halvesOfExponential = (s) => `
  (local.set $t${s} (f64x2.pmax (f64x2.pmin (local.get $t${s}) ${f64x2(708)}) ${f64x2(-708)}))
  (local.set $k${s} (f64x2.add (f64x2.mul (local.get $t${s}) ${f64x2(Math.LOG2E)}) ${f64x2(ROUND)}))
  (local.set $q${s} (f64x2.sub (local.get $k${s}) ${f64x2(ROUND)}))
  (local.set $r${s} (f64x2.sub
    (f64x2.sub (local.get $t${s}) (f64x2.mul (local.get $q${s}) ${f64x2(LN2_HIGH)}))
    (f64x2.mul (local.get $q${s}) ${f64x2(LN2_LOW)})))
  (local.set $q${s} (f64x2.mul (local.get $r${s}) (local.get $r${s})))
  (local.set $t${s} (f64x2.mul (local.get $q${s}) (local.get $q${s})))
  (local.set $odd${s} (f64x2.mul (local.get $r${s}) (f64x2.add
    (f64x2.add ${f64x2(0.5)} (f64x2.mul (local.get $q${s}) ${f64x2(1 / 66)}))
    (f64x2.mul (local.get $t${s}) ${f64x2(1 / 15840)}))))
  (local.set $even${s} (f64x2.add
    (f64x2.add ${f64x2(1)} (f64x2.mul (local.get $q${s}) ${f64x2(5 / 44)}))
    (f64x2.mul (local.get $t${s}) (f64x2.add ${f64x2(1 / 792)} (f64x2.mul (local.get $q${s}) ${f64x2(1 / 665280)})))))
  (local.set $r${s} (f64x2.add (local.get $even${s}) (local.get $odd${s})))
  (local.set $even${s} (f64x2.sub (local.get $even${s}) (local.get $odd${s})))
  (local.set $odd${s} (f64x2.mul (local.get $r${s})
    (i64x2.add (i64x2.shl (local.get $k${s}) (i32.const 52)) (v128.const i64x2 0x3ff0000000000000 0x3ff0000000000000))))`;

/**
 * The same to about |t| units in the last place, with fewer operations: one constant for ln 2, and the [5/5]
 * approximant E = 1 + r²/9 + r⁴/1008, O = r (1/2 + r²/72 + r⁴/30240), whose truncation error is below 1e-15.
 * For where exp(t) is added to 1 or divides: there the error is below that of rounding.
 */
export const halvesOfRoughExponential = (s) => `
  (local.set $t${s} (f64x2.pmax (f64x2.pmin (local.get $t${s}) ${f64x2(708)}) ${f64x2(-708)}))
  ${halvesInRange(s)}`;

/**
 * The same for v128 of which no lane is above 0: both halves and their sum lie in [0, 3], so that products of
 * several cannot overflow.
 */
export const halvesOfDecay = (s) => `
  (local.set $t${s} (f64x2.pmax (local.get $t${s}) ${f64x2(-708)}))
  ${halvesInRange(s)}`;

const halvesInRange = (s) => `
  (local.set $k${s} (f64x2.add (f64x2.mul (local.get $t${s}) ${f64x2(Math.LOG2E)}) ${f64x2(ROUND)}))
  (local.set $r${s} (f64x2.sub (local.get $t${s}) (f64x2.mul (f64x2.sub (local.get $k${s}) ${f64x2(ROUND)}) ${f64x2(Math.LN2)})))
  (local.set $q${s} (f64x2.mul (local.get $r${s}) (local.get $r${s})))
  (local.set $odd${s} (f64x2.mul (local.get $r${s}) (f64x2.add ${f64x2(0.5)} (f64x2.mul (local.get $q${s})
    (f64x2.add ${f64x2(1 / 72)} (f64x2.mul (local.get $q${s}) ${f64x2(1 / 30240)}))))))
  (local.set $even${s} (f64x2.add ${f64x2(1)} (f64x2.mul (local.get $q${s})
    (f64x2.add ${f64x2(1 / 9)} (f64x2.mul (local.get $q${s}) ${f64x2(1 / 1008)})))))
  (local.set $r${s} (f64x2.add (local.get $even${s}) (local.get $odd${s})))
  (local.set $even${s} (f64x2.sub (local.get $even${s}) (local.get $odd${s})))
  (local.set $odd${s} (f64x2.mul (local.get $r${s})
    (i64x2.add (i64x2.shl (local.get $k${s}) (i32.const 52)) (v128.const i64x2 0x3ff0000000000000 0x3ff0000000000000))))`;

/** `exponentials(source, target, count)`: target[i] = exp(source[i]), count rounded up to even. */
export const exponentialKernel = `
  (func (export "exponentials") (param $source i32) (param $target i32) (param $count i32)
    (local $o i32) (local $end i32) ${exponentialLocals('')}
    (local.set $end (i32.shl (local.get $count) (i32.const 3)))
    (if (i32.eqz (local.get $count)) (then (return)))
    (loop $next
      (local.set $t (v128.load (i32.add (local.get $source) (local.get $o))))
      ${halvesOfExponential('')}
      (v128.store (i32.add (local.get $target) (local.get $o)) (f64x2.div (local.get $odd) (local.get $even)))
      (br_if $next (i32.lt_u (local.tee $o (i32.add (local.get $o) (i32.const 16))) (local.get $end)))))`;

const read = (name) => `(local.get $${name})`;

/** exp of one number, by the same operations in the same order as {@link halvesOfExponential}. */
export const exponentialFunction = `
  (func $exponential (export "exponentialOf") (param $t f64) (result f64)
    (local $k f64) (local $r f64) (local $q f64) (local $qq f64) (local $even f64) (local $odd f64)
    (local.set $t (f64.max (f64.min ${read('t')} ${f64(708)}) ${f64(-708)}))
    (local.set $k (f64.sub (f64.add (f64.mul ${read('t')} ${f64(Math.LOG2E)}) ${f64(ROUND)}) ${f64(ROUND)}))
    (local.set $r (f64.sub (f64.sub ${read('t')} (f64.mul ${read('k')} ${f64(LN2_HIGH)})) (f64.mul ${read('k')} ${f64(LN2_LOW)})))
    (local.set $q (f64.mul ${read('r')} ${read('r')}))
    (local.set $qq (f64.mul ${read('q')} ${read('q')}))
    (local.set $odd (f64.mul ${read('r')} (f64.add
      (f64.add ${f64(0.5)} (f64.mul ${read('q')} ${f64(1 / 66)}))
      (f64.mul ${read('qq')} ${f64(1 / 15840)}))))
    (local.set $even (f64.add
      (f64.add ${f64(1)} (f64.mul ${read('q')} ${f64(5 / 44)}))
      (f64.mul ${read('qq')} (f64.add ${f64(1 / 792)} (f64.mul ${read('q')} ${f64(1 / 665280)})))))
    (f64.div
      (f64.mul (f64.add ${read('even')} ${read('odd')})
        (f64.reinterpret_i64 (i64.shl (i64.add (i64.trunc_sat_f64_s ${read('k')}) (i64.const 1023)) (i64.const 52))))
      (f64.sub ${read('even')} ${read('odd')})))`;

const TERMS = 11;

/**
 * ln of one positive normal number: x = 2^k m with m in [1/√2, √2), and ln m = 2 artanh s = 2 s (1 + s²/3 +
 * s⁴/5 + …) with s = (m - 1) / (m + 1), |s| < 0.1716, cut after ${TERMS} terms (error below 2e-17).
 */
export const logarithmFunction = `
  (func $logarithm (export "logarithmOf") (param $x f64) (result f64)
    (local $bits i64) (local $k i64) (local $s f64) (local $q f64) (local $exponent f64)
    (local.set $bits (i64.sub (i64.reinterpret_f64 ${read('x')}) (i64.const 0x3fe6a09e667f3bcd)))
    (local.set $k (i64.shr_s ${read('bits')} (i64.const 52)))
    (local.set $exponent (f64.convert_i64_s ${read('k')}))
    (local.set $x (f64.reinterpret_i64 (i64.sub (i64.reinterpret_f64 ${read('x')}) (i64.shl ${read('k')} (i64.const 52)))))
    (local.set $s (f64.div (f64.sub ${read('x')} ${f64(1)}) (f64.add ${read('x')} ${f64(1)})))
    (local.set $q (f64.mul ${read('s')} ${read('s')}))
    (f64.add (f64.mul ${read('exponent')} ${f64(LN2_HIGH)}) (f64.add
      (f64.mul ${read('exponent')} ${f64(LN2_LOW)})
      (f64.mul (f64.mul ${f64(2)} ${read('s')})
        ${range(TERMS - 1)
          .toReversed()
          .reduce(
            (tail, n) => `(f64.add ${f64(1 / (2 * n + 1))} (f64.mul ${read('q')} ${tail}))`,
            f64(1 / (2 * TERMS - 1)),
          )}))))`;
