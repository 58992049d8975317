import { exponentialLocals, halvesOfDecay } from './exponential.mjs';
import { layout } from './layout.mjs';
import { inBothPrecisions } from './precision.mjs';
import { GROUP } from './rows.mjs';
import { f64x2, locals, loopBelow, numbered, range, repeat, zero } from './wat.mjs';

/*
 * Sums of clipped (a slope(<x, w>, y) + b slope(<x, v>, y)) x, for two points w and v with weights a and b.
 * The rows of a group come from four places of the chunk, a quarter of it apart: a processor reads four
 * streams ahead, where one stops at the end of each page.
 */

const QUARTERS = range(GROUP);
const get = (name, suffix = '') => `(local.get $${name}${suffix})`;

/** The body for one place, at `$slot`. */
const take = `
  (local.set $row (i32.add (local.get $first) (local.get $place)))
  (if (local.get $indices) (then
    (local.set $row (i32.load (i32.add (local.get $indices) (i32.shl (local.get $place) (i32.const 2)))))
    (if (i32.ge_u (local.get $row) (local.get $rows)) (then (return (i32.const 0))))))
  (local.set $pointer (i32.add (local.get $base) (i32.mul (local.get $row) (local.get $rowBytes))))
  (local.set $row (i32.shl (local.get $row) (i32.const 3)))
  (i32.store offset=${layout.rowPointers} (local.get $slot) (local.get $pointer))
  (f64.store offset=${layout.labels} (i32.shl (local.get $slot) (i32.const 1)) (f64.load (i32.add (local.get $labels) (local.get $row))))
  (f64.store offset=${layout.norms} (i32.shl (local.get $slot) (i32.const 1)) (f64.load (i32.add (local.get $norms) (local.get $row))))
  (local.set $slot (i32.add (local.get $slot) (i32.const 4)))`;
/**
 * Fills the lists of pointers, labels and norms: position i + q j of the chunk in slot 4 i + j, for quarters
 * of q rows, then the last count - 4 q rows; pointers are padded with the last to a multiple of the group. 0
 * if an index is not below `rows`.
 */
const spread = `
  (func (export "spread")
    (param $base i32) (param $rowBytes i32) (param $rows i32) (param $indices i32) (param $first i32) (param $count i32)
    (param $labels i32) (param $norms i32) (result i32)
    ${locals('i32', 'slot', 'start', 'quarter', 'place', 'row', 'pointer')}
    (local.set $slot (i32.shl (global.get $shift) (i32.const 2)))
    (local.set $quarter (i32.div_u (local.get $count) (i32.const ${GROUP})))
    ${loopBelow(
      'start',
      '(local.get $quarter)',
      1,
      `
      (local.set $place (local.get $start))
      ${QUARTERS.map(() => `${take} (local.set $place (i32.add (local.get $place) (local.get $quarter)))`).join('')}`,
    )}
    (local.set $place (i32.mul (local.get $quarter) (i32.const ${GROUP})))
    ${loopBelow('place', '(local.get $count)', 1, take)}
    ${repeat(GROUP - 1, (k) => `(i32.store offset=${layout.rowPointers + 4 * k} (local.get $slot) (local.get $pointer))`)}
    (i32.const 1))`;

export const POINTS = ['w', 'v'];
export const HALVES = range(GROUP / 2); // v128 of two rows each
/** Local with the margins of two rows at a point. */
export const margin = (point, half) => `margin_${point}${half}`;
const both = (template) => POINTS.map(template).join('\n');

const dotStep = ({ two, shift }, count) => `
  ${repeat(
    count,
    (c) => `
    ${both((p) => `(local.set $weight_${p} (v128.load offset=${16 * c} ${get('at_', p)}))`)}
    ${repeat(
      GROUP,
      (k) => `
      (local.set $x ${two(get('at', k), c)})
      ${both((p) => `(local.set $sum_${p}${k} (f64x2.add ${get(`sum_${p}`, k)} (f64x2.mul ${get('x')} ${get('weight_', p)})))`)}`,
    )}`,
  )}
  ${repeat(GROUP, (k) => `(local.set $at${k} (i32.add ${get('at', k)} (i32.const ${(2 << shift) * count})))`)}
  (local.set $at_v (i32.add ${get('at_v')} (i32.const ${16 * count})))`;

const DOT = 1;

/** Margins of a group of rows at both points: `$margin_w0` has those of its first two rows at w. */
const marginsOfGroup = (precision) => `
  ${repeat(GROUP, (k) => `(local.set $at${k} (i32.load offset=${layout.rowPointers + 4 * k} ${get('slot')}))`)}
  ${both((p) => `(local.set $at_${p} ${get(p)}) ${repeat(GROUP, (k) => `(local.set $sum_${p}${k} ${zero})`)}`)}
  ${loopBelow('at_w', get('wide'), 16 * DOT, dotStep(precision, DOT), 'wide')}
  ${loopBelow('at_w', get('end'), 16, dotStep(precision, 1), 'narrow')}
  ${both((p) =>
    HALVES.map(
      (h) => `
    (local.set $${margin(p, h)} (f64x2.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 ${get(`sum_${p}`, 2 * h)} ${get(`sum_${p}`, 2 * h + 1)})
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 ${get(`sum_${p}`, 2 * h)} ${get(`sum_${p}`, 2 * h + 1)})))`,
    ).join(''),
  )}
  (if (i32.and ${get('columns')} (i32.const 1)) (then
    ${HALVES.map(
      (h) => `
      (local.set $x ${precision.apart(get('at', 2 * h), get('at', 2 * h + 1))})
      ${both((p) => `(local.set $${margin(p, h)} (f64x2.add ${get(margin(p, h))} (f64x2.mul (v128.load64_splat ${get('at_', p)}) ${get('x')})))`)}`,
    ).join('')}))`;

/*
 * A rule gives the weighted sum of slopes as a quotient, so that a row costs one division: `before`
 * prepares a point and two rows, `total` is the dividend, `over` the divisor, which is positive.
 */

/**
 * Logistic: the slope without its sign and label is 1 / (1 + exp(y m)) = slope / whole, with both from
 * exp(-|y m|): whole = even + odd, and slope is the odd part where y m is above 0, else the even one.
 */
const logistic = {
  before: (p, h) => `
    (local.set $t${p}${h} (f64x2.mul ${get('label', h)} ${get(margin(p, h))}))
    (local.set $taint${h} (f64x2.add ${get('taint', h)} (f64x2.sub ${get('t', p + h)} ${get('t', p + h)})))
    (local.set $slope${p}${h} (f64x2.gt ${get('t', p + h)} ${zero}))
    (local.set $t${p}${h} (v128.or ${get('t', p + h)} ${f64x2(-0)}))
    ${halvesOfDecay(p + h)}
    (local.set $slope${p}${h} (v128.bitselect ${get('odd', p + h)} ${get('even', p + h)} ${get(`slope${p}`, h)}))
    (local.set $whole${p}${h} (f64x2.add ${get('even', p + h)} ${get('odd', p + h)}))`,
  total: (h) => {
    const [w, v] = POINTS.map((p, i) => {
      const other = POINTS[1 - i];
      return `(f64x2.mul (f64x2.mul ${get('factor_', p)} ${get(`slope${p}`, h)}) ${get(`whole${other}`, h)})`;
    });
    return `(f64x2.sub ${get('taint', h)} (f64x2.mul ${get('label', h)} (f64x2.add ${w} ${v})))`;
  },
  over: (h) => `(f64x2.mul ${POINTS.map((p) => get(`whole${p}`, h)).join(' ')})`,
};
const squared = {
  before: (p, h) => `
    (local.set $slope${p}${h} (f64x2.sub ${get(margin(p, h))} ${get('label', h)}))
    (local.set $taint${h} (f64x2.add ${get('taint', h)} (f64x2.sub ${get(`slope${p}`, h)} ${get(`slope${p}`, h)})))`,
  total: (h) => {
    const [w, v] = POINTS.map((p) => `(f64x2.mul ${get('factor_', p)} ${get(`slope${p}`, h)})`);
    return `(f64x2.add ${get('taint', h)} (f64x2.add ${w} ${v}))`;
  },
  over: () => f64x2(1),
};

/** Locals of {@link coefficientsOfGroup}, but for its slot. */
export const pairLocals = `
    (local $o i32)
    ${both((p) => locals('v128', ...HALVES.map((h) => margin(p, h))))}
    ${locals('v128', 'inverse', 'factor_w', 'factor_v', ...HALVES.flatMap((h) => ['label', 'norm', 'taint', 'value', ...POINTS.flatMap((p) => [`slope${p}`, `whole${p}`])].map((local) => local + h)))}
    ${both((p) => HALVES.map((h) => exponentialLocals(p + h)).join(' '))}`;

/** Sets what is the same in every group. */
export const pairConstants = `
    (local.set $inverse (f64x2.splat ${get('inverseRadius')}))
    (local.set $factor_w (f64x2.splat ${get('a')}))
    (local.set $factor_v (f64x2.splat ${get('b')}))`;

/** Coefficients of a group of rows with known margins, by the lists of labels and norms from `$o` on. */
export const coefficientsOfGroup = ({ before, total, over }) => `
      ${HALVES.map(
        (h) => `
        (local.set $label${h} (v128.load offset=${layout.labels + 16 * h} ${get('o')}))
        (local.set $norm${h} (v128.load offset=${layout.norms + 16 * h} ${get('o')}))
        (local.set $taint${h} (f64x2.sub ${get('norm', h)} ${get('norm', h)}))`,
      ).join('')}
      ${HALVES.map((h) => both((p) => before(p, h))).join('')}
      ${HALVES.map(
        (h) => `
        (local.set $value${h} ${total(h)})
        (local.set $value${h} (f64x2.div ${get('value', h)} (f64x2.pmax ${over(h)}
          (f64x2.mul (f64x2.abs ${get('value', h)}) (f64x2.mul ${get('norm', h)} ${get('inverse')})))))
        (v128.store offset=${layout.coefficients + 16 * h} ${get('o')} (v128.and ${get('value', h)} (f64x2.eq ${get('value', h)} ${get('value', h)})))`,
      ).join('')}`;

/**
 * Coefficients of the rows in slots [from, to): s / max(1, |s| norm / radius) for the weighted sum s of
 * slopes; 0 where a margin, the label or the norm is not finite.
 */
const coefficients = (name, rule, precision) => `
  (func $pair_${name}${precision.suffix} (param $from i32) (param $to i32) (param $columns i32) (param $w i32) (param $v i32)
    (param $a f64) (param $b f64) (param $inverseRadius f64)
    ${locals('i32', 'slot', 'stop', 'end', 'wide', 'at_w', 'at_v')} ${numbered('i32', 'at', GROUP)}
    ${both((p) => `${numbered('v128', `sum_${p}`, GROUP)} (local $weight_${p} v128)`)}
    (local $x v128)
    ${pairLocals}
    ${pairConstants}
    (local.set $end (i32.add ${get('w')} (i32.shl (i32.and ${get('columns')} (i32.const -2)) (i32.const 3))))
    (local.set $wide (i32.add ${get('w')} (i32.shl (i32.and ${get('columns')} (i32.const ${-2 * DOT})) (i32.const 3))))
    (local.set $slot (i32.shl ${get('from')} (i32.const 2)))
    (local.set $stop (i32.shl ${get('to')} (i32.const 2)))
    ${loopBelow(
      'slot',
      get('stop'),
      4 * GROUP,
      `
      ${marginsOfGroup(precision)}
      (local.set $o (i32.shl ${get('slot')} (i32.const 1)))
${coefficientsOfGroup(rule)}`,
      'group',
    )})`;

/**
 * One chunk whose lists are filled: out += its sum, block by block so that each row is in cache when it is
 * added.
 */
const chunk = ({ suffix, shift }) => `
  (func (export "clippedPair${suffix}")
    (param $slope i32) (param $count i32) (param $columns i32) (param $w i32) (param $v i32) (param $a f64) (param $b f64)
    (param $inverseRadius f64) (param $out i32) (param $block i32) (param $access i32)
    ${locals('i32', 'from', 'to')}
    (local.set $from (global.get $shift))
    (local.set $count (i32.add (local.get $from) (local.get $count)))
    ${loopBelow(
      'from',
      '(local.get $count)',
      0,
      `
      (local.set $to (i32.add (local.get $from) (local.get $block)))
      (if (i32.gt_u (local.get $to) (local.get $count)) (then (local.set $to (local.get $count))))
      (if (i32.eq (local.get $access) (i32.const 2)) (then
        (call $touch (i32.shl (local.get $from) (i32.const 2)) (i32.shl (local.get $to) (i32.const 2)) (i32.shl (local.get $columns) (i32.const ${shift})))))
      (if (local.get $slope)
        (then (call $pair_squared${suffix} (local.get $from) (local.get $to) (local.get $columns) (local.get $w) (local.get $v) (local.get $a) (local.get $b) (local.get $inverseRadius)))
        (else (call $pair_logistic${suffix} (local.get $from) (local.get $to) (local.get $columns) (local.get $w) (local.get $v) (local.get $a) (local.get $b) (local.get $inverseRadius))))
      (call $accumulate${suffix} (local.get $from) (local.get $to) (local.get $columns) (local.get $out))
      (local.set $from (local.get $to))`,
    )})`;

export const pairSlopes = { logistic, squared };
export const clippedPairKernels = [
  spread,
  ...Object.entries(pairSlopes).map(([name, rule]) =>
    inBothPrecisions((precision) => coefficients(name, rule, precision)),
  ),
  inBothPrecisions(chunk),
].join('\n');
