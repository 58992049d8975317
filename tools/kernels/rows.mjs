import { layout } from './layout.mjs';
import { inBothPrecisions } from './precision.mjs';
import { locals, loopBelow, numbered, range, repeat, zero } from './wat.mjs';

export const GROUP = 4; // rows walked together

/**
 * Fills the pointer list, padded with the last row to a multiple
 * of the group; 0 if an index is not below `rows`.
 */
const pointers = `
  (func $pointers (export "pointers")
    (param $base i32) (param $rowBytes i32) (param $rows i32) (param $indices i32) (param $first i32) (param $count i32) (result i32)
    ${locals('i32', 'slot', 'end', 'row', 'pointer')}
    (if (i32.eqz (local.get $count)) (then (return (i32.const 1))))
    (local.set $slot (i32.shl (global.get $shift) (i32.const 2)))
    (local.set $end (i32.add (local.get $slot) (i32.shl (local.get $count) (i32.const 2))))
    (if (local.get $indices)
      (then
        (local.set $indices (i32.sub (local.get $indices) (local.get $slot)))
        (loop $gather
          (local.set $row (i32.load (i32.add (local.get $indices) (local.get $slot))))
          (if (i32.ge_u (local.get $row) (local.get $rows)) (then (return (i32.const 0))))
          (local.set $pointer (i32.add (local.get $base) (i32.mul (local.get $row) (local.get $rowBytes))))
          (i32.store offset=${layout.rowPointers} (local.get $slot) (local.get $pointer))
          (br_if $gather (i32.lt_u (local.tee $slot (i32.add (local.get $slot) (i32.const 4))) (local.get $end)))))
      (else
        (local.set $pointer (i32.add (local.get $base) (i32.mul (local.get $first) (local.get $rowBytes))))
        (loop $walk
          (i32.store offset=${layout.rowPointers} (local.get $slot) (local.get $pointer))
          (local.set $pointer (i32.add (local.get $pointer) (local.get $rowBytes)))
          (br_if $walk (i32.lt_u (local.tee $slot (i32.add (local.get $slot) (i32.const 4))) (local.get $end))))
        (local.set $pointer (i32.sub (local.get $pointer) (local.get $rowBytes)))))
    ${repeat(GROUP - 1, (k) => `(i32.store offset=${layout.rowPointers + 4 * k} (local.get $slot) (local.get $pointer))`)}
    (i32.const 1))`;

const DOT = 2; // v128 per row and iteration; engines spill when more than eight loads are in flight

const dotStep = ({ two, shift }, count) => `
  ${repeat(
    count,
    (c) => `
    (local.set $weight (v128.load offset=${16 * c} (local.get $atW)))
    ${repeat(
      GROUP,
      (k) => `(local.set $sum${k} (f64x2.add (local.get $sum${k})
      (f64x2.mul ${two(`(local.get $at${k})`, c)} (local.get $weight))))`,
    )}`,
  )}
  ${repeat(GROUP, (k) => `(local.set $at${k} (i32.add (local.get $at${k}) (i32.const ${(2 << shift) * count})))`)}`;

/** coefficient[from..to) = <row, w>, in groups; `from` is a multiple of the group. */
const margins = (precision) => `
  (func $margins${precision.suffix} (export "margins${precision.suffix}") (param $from i32) (param $to i32) (param $columns i32) (param $w i32)
    ${locals('i32', 'group', 'end', 'endW', 'wideW', 'atW')}
    ${numbered('i32', 'at', GROUP)} ${numbered('v128', 'sum', GROUP)} (local $weight v128)
    (local.set $endW (i32.add (local.get $w) (i32.shl (i32.and (local.get $columns) (i32.const -2)) (i32.const 3))))
    (local.set $wideW (i32.add (local.get $w) (i32.shl (i32.and (local.get $columns) (i32.const ${-2 * DOT})) (i32.const 3))))
    (local.set $group (i32.shl (local.get $from) (i32.const 2)))
    (local.set $end (i32.shl (local.get $to) (i32.const 2)))
    ${loopBelow(
      'group',
      '(local.get $end)',
      4 * GROUP,
      `
      ${repeat(GROUP, (k) => `(local.set $at${k} (i32.load offset=${layout.rowPointers + 4 * k} (local.get $group)))`)}
      ${repeat(GROUP, (k) => `(local.set $sum${k} ${zero})`)}
      (local.set $atW (local.get $w))
      ${loopBelow('atW', '(local.get $wideW)', 16 * DOT, dotStep(precision, DOT), 'wide')}
      ${loopBelow('atW', '(local.get $endW)', 16, dotStep(precision, 1), 'narrow')}
      ${range(GROUP / 2)
        .map(
          (h) => `
        (local.set $sum${2 * h} (f64x2.add
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $sum${2 * h}) (local.get $sum${2 * h + 1}))
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $sum${2 * h}) (local.get $sum${2 * h + 1}))))`,
        )
        .join('')}
      (if (i32.and (local.get $columns) (i32.const 1)) (then
        (local.set $weight (v128.load64_splat (local.get $atW)))
        ${range(GROUP / 2)
          .map(
            (h) => `
          (local.set $sum${2 * h} (f64x2.add (local.get $sum${2 * h}) (f64x2.mul (local.get $weight)
            ${precision.apart(`(local.get $at${2 * h})`, `(local.get $at${2 * h + 1})`)})))`,
          )
          .join('')}))
      ${range(GROUP / 2)
        .map(
          (h) =>
            `(v128.store offset=${layout.coefficients + 16 * h} (i32.shl (local.get $group) (i32.const 1)) (local.get $sum${2 * h}))`,
        )
        .join('\n')}`,
      'groups',
    )})`;

const CHAINS = 4; // partial sums of one row

const AXPY = 8; // v128 per row and iteration; each store keeps the loads of the next from moving up
const axpyStep = ({ two, shift }, count) => `
  ${repeat(count, (c) => {
    const term = (k) => `(f64x2.mul (local.get $scale${k}) ${two(`(local.get $row${k})`, c)})`;
    return `(v128.store offset=${16 * c} (local.get $o) (f64x2.add (v128.load offset=${16 * c} (local.get $o))
      (f64x2.add (f64x2.add ${term(0)} ${term(1)}) (f64x2.add ${term(2)} ${term(3)}))))`;
  })}
  ${repeat(GROUP, (k) => `(local.set $row${k} (i32.add (local.get $row${k}) (i32.const ${(2 << shift) * count})))`)}`;

const LINE = 64; // bytes that memory gives at once
const LINES = 2; // of each row, touched one after the other

const touchLines = (lines) => `
  ${repeat(lines, (line) => repeat(GROUP, (k) => `(drop (i32.load offset=${LINE * line} (local.get $at${k})))`))}
  ${range(GROUP)
    .slice(1)
    .map((k) => `(local.set $at${k} (i32.add (local.get $at${k}) (i32.const ${LINE * lines})))`)
    .join('')}`;

/**
 * Asks for the rows of a block, four side by side: what comes from
 * pages all over memory, a processor must be asked for all at once.
 */
const touch = `
  (func $touch (param $slot i32) (param $end i32) (param $rowBytes i32)
    ${numbered('i32', 'at', GROUP)} ${locals('i32', 'wide', 'stop')}
    (loop $rows
      ${repeat(GROUP, (k) => `(local.set $at${k} (i32.load offset=${layout.rowPointers + 4 * k} (local.get $slot)))`)}
      (local.set $wide (i32.add (local.get $at0) (i32.and (local.get $rowBytes) (i32.const ${-LINES * LINE}))))
      (local.set $stop (i32.add (local.get $at0) (local.get $rowBytes)))
      ${loopBelow('at0', '(local.get $wide)', LINES * LINE, touchLines(LINES), 'wideTouch')}
      ${loopBelow('at0', '(local.get $stop)', LINE, touchLines(1), 'narrowTouch')}
      (br_if $rows (i32.lt_u (local.tee $slot (i32.add (local.get $slot) (i32.const ${4 * GROUP}))) (local.get $end)))))`;

const oneRow = ({ suffix, shift, two, one }) => `
  (func $axpy${suffix} (param $scale f64) (param $row i32) (param $columns i32) (param $out i32)
    (local $pairs i32)
    (local.set $pairs (i32.add (local.get $out) (i32.shl (i32.and (local.get $columns) (i32.const -2)) (i32.const 3))))
    ${loopBelow(
      'out',
      '(local.get $pairs)',
      16,
      `
      (v128.store (local.get $out) (f64x2.add (v128.load (local.get $out))
        (f64x2.mul (f64x2.splat (local.get $scale)) ${two('(local.get $row)')})))
      (local.set $row (i32.add (local.get $row) (i32.const ${2 << shift})))`,
    )}
    (if (i32.and (local.get $columns) (i32.const 1)) (then
      (f64.store (local.get $out) (f64.add (f64.load (local.get $out))
        (f64.mul (local.get $scale) ${one('(local.get $row)')}))))))`;

/** out += sum of coefficient[k] * row k over [from, to); a zero coefficient leaves its row unread. */
const accumulateLocals = `${locals('i32', 'o', 'wide', 'pairs')}
  ${numbered('i32', 'row', GROUP)} ${numbered('v128', 'scale', GROUP)}`;
const accumulateSetUp = `
  (local.set $pairs (i32.add (local.get $out) (i32.shl (i32.and (local.get $columns) (i32.const -2)) (i32.const 3))))
  (local.set $wide (i32.add (local.get $out) (i32.shl (i32.and (local.get $columns) (i32.const ${-2 * AXPY})) (i32.const 3))))`;
const coefficient = (operation, k) =>
  `(${operation} offset=${layout.coefficients + 8 * k} (i32.shl (local.get $group) (i32.const 1)))`;
const accumulateGroup = (precision) => `
  (if (v128.any_true (v128.or (f64x2.eq ${coefficient('v128.load', 0)} ${zero}) (f64x2.eq ${coefficient('v128.load', 2)} ${zero})))
    (then (call $sparsely${precision.suffix} (local.get $group) (i32.add (local.get $group) (i32.const ${4 * GROUP})) (local.get $columns) (local.get $out)))
    (else
      ${repeat(GROUP, (k) => `(local.set $row${k} (i32.load offset=${layout.rowPointers + 4 * k} (local.get $group)))`)}
      ${repeat(GROUP, (k) => `(local.set $scale${k} ${coefficient('v128.load64_splat', k)})`)}
      (local.set $o (local.get $out))
      ${loopBelow('o', '(local.get $wide)', 16 * AXPY, axpyStep(precision, AXPY), 'wideOut')}
      ${loopBelow('o', '(local.get $pairs)', 16, axpyStep(precision, 1), 'narrowOut')}
      (if (i32.and (local.get $columns) (i32.const 1)) (then
        (f64.store (local.get $o)
          ${range(GROUP).reduce(
            (sum, k) =>
              `(f64.add ${sum} (f64.mul (f64x2.extract_lane 0 (local.get $scale${k})) ${precision.one(`(local.get $row${k})`)}))`,
            '(f64.load (local.get $o))',
          )})))))`;

const accumulate = (precision) => `
  ${oneRow(precision)}
  (func $accumulate${precision.suffix} (export "accumulate${precision.suffix}") (param $from i32) (param $to i32) (param $columns i32) (param $out i32)
    ${locals('i32', 'group', 'end', 'whole')} ${accumulateLocals}
    ${accumulateSetUp}
    (local.set $group (i32.shl (local.get $from) (i32.const 2)))
    (local.set $end (i32.shl (local.get $to) (i32.const 2)))
    (local.set $whole (i32.add (local.get $group) (i32.and (i32.sub (local.get $end) (local.get $group)) (i32.const ${-4 * GROUP}))))
    ${loopBelow('group', '(local.get $whole)', 4 * GROUP, accumulateGroup(precision))}
    (call $sparsely${precision.suffix} (local.get $group) (local.get $end) (local.get $columns) (local.get $out)))
  (func $sparsely${precision.suffix} (param $slot i32) (param $end i32) (param $columns i32) (param $out i32) (local $one f64)
    ${loopBelow(
      'slot',
      '(local.get $end)',
      4,
      `
      (local.set $one (f64.load offset=${layout.coefficients} (i32.shl (local.get $slot) (i32.const 1))))
      (if (f64.ne (local.get $one) (f64.const 0)) (then
        (call $axpy${precision.suffix} (local.get $one) (i32.load offset=${layout.rowPointers} (local.get $slot)) (local.get $columns) (local.get $out))))`,
    )})`;

/** coefficient[k] = sum of squares of row k. */
const squaredNorms = ({ suffix, shift, two, one }) => `
  (func (export "squaredNorms${suffix}") (param $count i32) (param $columns i32)
    ${locals('i32', 'slot', 'end', 'at', 'wide', 'stop')} ${numbered('v128', 'sum', CHAINS)} ${numbered('v128', 'x', CHAINS)} ${locals('f64', 'total', 'last')}
    (local.set $end (i32.shl (local.get $count) (i32.const 2)))
    ${loopBelow(
      'slot',
      '(local.get $end)',
      4,
      `
      (local.set $at (i32.load offset=${layout.rowPointers} (local.get $slot)))
      (local.set $wide (i32.add (local.get $at) (i32.shl (i32.and (local.get $columns) (i32.const ${-2 * CHAINS})) (i32.const ${shift}))))
      (local.set $stop (i32.add (local.get $at) (i32.shl (local.get $columns) (i32.const ${shift}))))
      ${repeat(CHAINS, (k) => `(local.set $sum${k} ${zero})`)}
      ${loopBelow(
        'at',
        '(local.get $wide)',
        (2 << shift) * CHAINS,
        repeat(
          CHAINS,
          (k) => `
        (local.set $x${k} ${two('(local.get $at)', k)})
        (local.set $sum${k} (f64x2.add (local.get $sum${k}) (f64x2.mul (local.get $x${k}) (local.get $x${k}))))`,
        ),
        'wide',
      )}
      (local.set $sum0 (f64x2.add (f64x2.add (local.get $sum0) (local.get $sum1)) (f64x2.add (local.get $sum2) (local.get $sum3))))
      (local.set $total (f64.add (f64x2.extract_lane 0 (local.get $sum0)) (f64x2.extract_lane 1 (local.get $sum0))))
      ${loopBelow(
        'at',
        '(local.get $stop)',
        1 << shift,
        `
        (local.set $last ${one('(local.get $at)')})
        (local.set $total (f64.add (local.get $total) (f64.mul (local.get $last) (local.get $last))))`,
        'single',
      )}
      (f64.store offset=${layout.coefficients} (i32.shl (local.get $slot) (i32.const 1)) (local.get $total))`,
    )})`;

export const rowKernels = [
  pointers,
  touch,
  ...[margins, accumulate, squaredNorms].map(inBothPrecisions),
].join('\n');
