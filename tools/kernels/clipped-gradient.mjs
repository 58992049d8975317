import { exponentialLocals, halvesOfRoughExponential } from './exponential.mjs';
import { layout } from './layout.mjs';
import { inBothPrecisions } from './precision.mjs';
import { f64x2, locals, loopBelow, range, repeat } from './wat.mjs';

/** Copies labels and norms of the rows into the chunk's scratch, in the order of the rows. */
const factors = `
  (func $factors (param $labels i32) (param $norms i32) (param $indices i32) (param $first i32) (param $count i32)
    ${locals('i32', 'slot', 'end', 'row')}
    (local.set $slot (i32.shl (global.get $shift) (i32.const 2)))
    (local.set $end (i32.add (local.get $slot) (i32.shl (local.get $count) (i32.const 2))))
    (if (local.get $indices)
      (then
        (local.set $indices (i32.sub (local.get $indices) (local.get $slot)))
        ${loopBelow(
          'slot',
          '(local.get $end)',
          4,
          `
        (local.set $row (i32.shl (i32.load (i32.add (local.get $indices) (local.get $slot))) (i32.const 3)))
        (f64.store offset=${layout.labels} (i32.shl (local.get $slot) (i32.const 1)) (f64.load (i32.add (local.get $labels) (local.get $row))))
        (f64.store offset=${layout.norms} (i32.shl (local.get $slot) (i32.const 1)) (f64.load (i32.add (local.get $norms) (local.get $row))))`,
          'gather',
        )})
      (else
        (memory.copy (i32.add (i32.const ${layout.labels}) (i32.shl (local.get $slot) (i32.const 1))) (i32.add (local.get $labels) (i32.shl (local.get $first) (i32.const 3))) (i32.shl (local.get $count) (i32.const 3)))
        (memory.copy (i32.add (i32.const ${layout.norms}) (i32.shl (local.get $slot) (i32.const 1))) (i32.add (local.get $norms) (i32.shl (local.get $first) (i32.const 3))) (i32.shl (local.get $count) (i32.const 3))))))`;

const PAIRS = 2; // v128 of rows whose residuals are computed side by side
const load = (name, field, p) =>
  `(local.set $${name}${p} (v128.load offset=${layout[field] + 16 * p} (local.get $o)))`;
const get = (name, p = '') => `(local.get $${name}${p})`;
/** NaN if a lane of one of them is not finite, else 0. */
const taint = (p, ...names) =>
  names
    .map((name) => `(f64x2.sub ${get(name, p)} ${get(name, p)})`)
    .reduce((sum, value) => `(f64x2.add ${sum} ${value})`);

/**
 * Two rows: -y / max(norm / radius, 1 + exp(y m)), written with one division. NaN if a margin, label or norm
 * is NaN (pmax keeps its first operand then) or margin or label is infinite; 0 or NaN if the norm is
 * infinite.
 */
const logistic = (p) => `
  (local.set $t${p} (f64x2.mul ${get('label', p)} ${get('margin', p)}))
  (local.set $taint${p} ${taint(p, 't')})
  ${halvesOfRoughExponential(p)}
  (local.set $value${p} (f64x2.div
    (f64x2.sub ${get('taint', p)} (f64x2.mul ${get('label', p)} ${get('even', p)}))
    (f64x2.pmax
      (f64x2.mul ${get('even', p)} (f64x2.mul (f64x2.abs ${get('norm', p)}) ${get('inverse')}))
      (f64x2.add ${get('even', p)} ${get('odd', p)}))))`;

/** Two rows: (m - y) / max(1, |m - y| norm / radius). */
const squared = (p) => `
  (local.set $taint${p} ${taint(p, 'margin', 'label', 'norm')})
  (local.set $value${p} (f64x2.add ${get('taint', p)} (f64x2.sub ${get('margin', p)} ${get('label', p)})))
  (local.set $value${p} (f64x2.div ${get('value', p)} (f64x2.pmax ${f64x2(1)}
    (f64x2.mul (f64x2.abs ${get('value', p)}) (f64x2.mul ${get('norm', p)} ${get('inverse')})))))`;

const residualLocals = `(local $inverse v128) ${range(PAIRS)
  .map(
    (p) =>
      `${locals('v128', ...['margin', 'label', 'norm', 'taint', 'value'].map((name) => name + p))} ${exponentialLocals(p)}`,
  )
  .join(' ')}`;
const residual = (rule, margin) => `
  ${repeat(PAIRS, (p) => `${margin(p)} ${load('label', 'labels', p)} ${load('norm', 'norms', p)}`)}
  ${repeat(PAIRS, rule)}
  ${repeat(PAIRS, (p) => `(v128.store offset=${layout.coefficients + 16 * p} ${get('o')} (v128.and ${get('value', p)} (f64x2.eq ${get('value', p)} ${get('value', p)})))`)}`;

const residuals = (name, rule) => `
  (func $${name} (param $from i32) (param $to i32) (param $inverseRadius f64)
    ${locals('i32', 'o', 'end')} ${residualLocals}
    (local.set $inverse (f64x2.splat (local.get $inverseRadius)))
    (local.set $o (i32.shl (local.get $from) (i32.const 3)))
    (local.set $end (i32.shl (local.get $to) (i32.const 3)))
    ${loopBelow(
      'o',
      '(local.get $end)',
      16 * PAIRS,
      residual(rule, (p) => load('margin', 'coefficients', p)),
    )})`;

/**
 * One chunk of rows: out += sum of clipped slope * row, block by block so that each row is still in cache
 * when it is read for the second time. The pointer list is already filled; with access 1, for matrices larger
 * than the caches, so are the lists of labels and norms, all by `spread`. Access 2: rows from all over memory
 * are touched first.
 */
const chunk = ({ suffix, shift }) => `
  (func (export "clippedGradient${suffix}")
    (param $slope i32) (param $labels i32) (param $norms i32) (param $indices i32) (param $first i32) (param $count i32)
    (param $columns i32) (param $w i32) (param $inverseRadius f64) (param $out i32) (param $block i32) (param $access i32)
    ${locals('i32', 'from', 'to')}
    (if (i32.ne (local.get $access) (i32.const 1)) (then
      (call $factors (local.get $labels) (local.get $norms) (local.get $indices) (local.get $first) (local.get $count))))
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
      (call $margins${suffix} (local.get $from) (local.get $to) (local.get $columns) (local.get $w))
      (if (local.get $slope)
        (then (call $squared (local.get $from) (local.get $to) (local.get $inverseRadius)))
        (else (call $logistic (local.get $from) (local.get $to) (local.get $inverseRadius))))
      (call $accumulate${suffix} (local.get $from) (local.get $to) (local.get $columns) (local.get $out))
      (local.set $from (local.get $to))`,
    )})`;

const slopes = { logistic, squared };
export const clippedGradientKernels = [
  factors,
  ...Object.entries(slopes).map(([name, rule]) => residuals(name, rule)),
  inBothPrecisions(chunk),
].join('\n');
