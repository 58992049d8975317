import {
  coefficientsOfGroup,
  HALVES,
  margin,
  pairConstants,
  pairLocals,
  pairSlopes,
  POINTS,
} from './clipped-pair.mjs';
import { layout } from './layout.mjs';
import { locals, loopBelow } from './wat.mjs';

const get = (name) => `(local.get $${name})`;

/** Rows whose coefficients are computed together; their entries are still in cache when they are added. */
const BLOCK = 256;

/** The entries of a row: places in `$columns` from `$at` to `$end`, and its first value at `$value`. */
const entriesOfRow = `
  (local.set $row (i32.add ${get('first')} ${get('position')}))
  (if ${get('indices')} (then
    (local.set $row (i32.load (i32.add ${get('indices')} (i32.shl ${get('position')} (i32.const 2)))))))
  (local.set $row (i32.add ${get('starts')} (i32.shl ${get('row')} (i32.const 2))))
  (local.set $at (i32.load ${get('row')}))
  (local.set $value (i32.add ${get('values')} (i32.shl ${get('at')} (i32.const 3))))
  (local.set $end (i32.add ${get('columns')} (i32.shl (i32.load offset=4 ${get('row')}) (i32.const 2))))
  (local.set $at (i32.add ${get('columns')} (i32.shl ${get('at')} (i32.const 2))))`;
const rowLocals = locals('i32', 'position', 'row', 'at', 'end', 'value');
const matrix = '(param $starts i32) (param $columns i32) (param $values i32)';
const rows = '(param $indices i32) (param $first i32)';
const range = '(param $from i32) (param $to i32)';
const column = (base) => `(i32.add ${get(base)} (i32.shl (i32.load ${get('at')}) (i32.const 3)))`;

/** coefficient[k] = <row k, w>, entry after entry. */
const margins = `
  (func $sparseMargins (export "sparseMargins") ${matrix} ${rows} ${range} (param $w i32)
    ${rowLocals} (local $sum f64)
    (local.set $position ${get('from')})
    ${loopBelow(
      'position',
      get('to'),
      1,
      `
      ${entriesOfRow}
      (local.set $sum (f64.const 0))
      ${loopBelow(
        'at',
        get('end'),
        4,
        `
        (local.set $sum (f64.add ${get('sum')} (f64.mul (f64.load ${get('value')}) (f64.load ${column('w')}))))
        (local.set $value (i32.add ${get('value')} (i32.const 8)))`,
      )}
      (f64.store offset=${layout.coefficients} (i32.shl ${get('position')} (i32.const 3)) ${get('sum')})`,
    )})`;

/** out += sum of coefficient[k] * row k; a zero coefficient leaves its row unread. */
const accumulate = `
  (func $sparseAccumulate (export "sparseAccumulate") ${matrix} ${rows} ${range} (param $out i32)
    ${rowLocals} (local $target i32) (local $factor f64)
    (local.set $position ${get('from')})
    ${loopBelow(
      'position',
      get('to'),
      1,
      `
      (local.set $factor (f64.load offset=${layout.coefficients} (i32.shl ${get('position')} (i32.const 3))))
      (if (f64.ne ${get('factor')} (f64.const 0)) (then
        ${entriesOfRow}
        ${loopBelow(
          'at',
          get('end'),
          4,
          `
          (local.set $target ${column('out')})
          (f64.store ${get('target')} (f64.add (f64.load ${get('target')}) (f64.mul ${get('factor')} (f64.load ${get('value')}))))
          (local.set $value (i32.add ${get('value')} (i32.const 8)))`,
        )}))`,
    )})`;

/** 1 if all listed rows exist. */
const exist = `
  (func (export "rowsExist") (param $indices i32) (param $count i32) (param $rows i32) (result i32)
    (local $at i32) (local $end i32) (local $all i32)
    (local.set $all (i32.const 1))
    (local.set $at ${get('indices')})
    (local.set $end (i32.add ${get('indices')} (i32.shl ${get('count')} (i32.const 2))))
    ${loopBelow('at', get('end'), 4, `(local.set $all (i32.and ${get('all')} (i32.lt_u (i32.load ${get('at')}) ${get('rows')})))`)}
    ${get('all')})`;

/** One chunk of rows: out += sum of clipped slope * row, a block of rows at a time. */
const chunk = `
  (func (export "sparseClippedGradient")
    (param $slope i32) (param $labels i32) (param $norms i32) ${matrix} ${rows} (param $count i32)
    (param $w i32) (param $inverseRadius f64) (param $out i32)
    ${locals('i32', 'from', 'to')}
    (call $factors ${get('labels')} ${get('norms')} ${get('indices')} ${get('first')} ${get('count')})
    ${loopBelow(
      'from',
      get('count'),
      0,
      `
      (local.set $to (i32.add ${get('from')} (i32.const ${BLOCK})))
      (if (i32.gt_u ${get('to')} ${get('count')}) (then (local.set $to ${get('count')})))
      (call $sparseMargins ${['starts', 'columns', 'values', 'indices', 'first', 'from', 'to', 'w'].map(get).join(' ')})
      (if ${get('slope')}
        (then (call $squared ${get('from')} ${get('to')} ${get('inverseRadius')}))
        (else (call $logistic ${get('from')} ${get('to')} ${get('inverseRadius')})))
      (call $sparseAccumulate ${['starts', 'columns', 'values', 'indices', 'first', 'from', 'to', 'out'].map(get).join(' ')})
      (local.set $from ${get('to')})`,
    )})`;

/** Margins of one of the two rows of a half at both points, entry after entry; of no row beyond `$to`. */
const marginsAt = (half, lane) => `
  ${POINTS.map((p) => `(local.set $sum_${p} (f64.const 0))`).join('')}
  (if (i32.lt_u ${get('position')} ${get('to')}) (then
    ${entriesOfRow}
    ${loopBelow(
      'at',
      get('end'),
      4,
      `
      (local.set $entry (f64.load ${get('value')}))
      (local.set $place (i32.shl (i32.load ${get('at')}) (i32.const 3)))
      ${POINTS.map((p) => `(local.set $sum_${p} (f64.add ${get(`sum_${p}`)} (f64.mul ${get('entry')} (f64.load (i32.add ${get(p)} ${get('place')})))))`).join('\n')}
      (local.set $value (i32.add ${get('value')} (i32.const 8)))`,
      `entry_${half}_${lane}`,
    )}))
  ${POINTS.map((p) => `(local.set $${margin(p, half)} (f64x2.replace_lane ${lane} ${get(margin(p, half))} ${get(`sum_${p}`)}))`).join('')}
  (local.set $position (i32.add ${get('position')} (i32.const 1)))`;

const points = '(param $w i32) (param $v i32) (param $a f64) (param $b f64) (param $inverseRadius f64)';

/** coefficient[k] for the clipped sum of slopes at two points, a group of rows at a time. */
const pairCoefficients = (name, rule) => `
  (func $sparsePair_${name} ${matrix} ${rows} ${range} ${points}
    ${rowLocals} (local $place i32) ${locals('f64', 'entry', ...POINTS.map((p) => `sum_${p}`))}
    ${pairLocals}
    ${pairConstants}
    (local.set $position ${get('from')})
    ${loopBelow(
      'position',
      get('to'),
      0,
      `
      (local.set $o (i32.shl ${get('position')} (i32.const 3)))
      ${HALVES.map((half) => [0, 1].map((lane) => marginsAt(half, lane)).join('')).join('')}
      ${coefficientsOfGroup(rule)}`,
      'group',
    )})`;

const pairNames = ['starts', 'columns', 'values', 'indices', 'first', 'from', 'to'];
const pairPoints = ['w', 'v', 'a', 'b', 'inverseRadius'];

/** One chunk of rows: out += sum of clipped (a slope at w + b slope at v) * row, block by block. */
const pairChunk = `
  (func (export "sparseClippedPair")
    (param $slope i32) (param $labels i32) (param $norms i32) ${matrix} ${rows} (param $count i32)
    ${points} (param $out i32)
    ${locals('i32', 'from', 'to')}
    (call $factors ${get('labels')} ${get('norms')} ${get('indices')} ${get('first')} ${get('count')})
    ${loopBelow(
      'from',
      get('count'),
      0,
      `
      (local.set $to (i32.add ${get('from')} (i32.const ${BLOCK})))
      (if (i32.gt_u ${get('to')} ${get('count')}) (then (local.set $to ${get('count')})))
      (if ${get('slope')}
        (then (call $sparsePair_squared ${[...pairNames, ...pairPoints].map(get).join(' ')}))
        (else (call $sparsePair_logistic ${[...pairNames, ...pairPoints].map(get).join(' ')})))
      (call $sparseAccumulate ${[...pairNames, 'out'].map(get).join(' ')})
      (local.set $from ${get('to')})`,
    )})`;

/**
 * Sparse rows: `starts` are places in `columns` (u32) and `values` (f64). Chunks of at most as many rows as
 * the lists hold; for one thread, whose lists are the first.
 */
export const sparseRowKernels = [
  margins,
  accumulate,
  exist,
  chunk,
  ...Object.entries(pairSlopes).map(([name, rule]) => pairCoefficients(name, rule)),
  pairChunk,
].join('\n');
