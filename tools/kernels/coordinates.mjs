import { layout } from './layout.mjs';
import { f64x2, locals, loopBelow, range } from './wat.mjs';

/*
 * A gradient restricted to few coordinates, from columns: margins are kept up to date on a grid, so that sums
 * of them are exact (packages/numerics/src/linalg/margin-grid.ts says why). Arrays are walked side by side,
 * four v128 at a time and step by step, because each row is one long chain of dependent operations; the rows
 * left over go one by one.
 */
const PAIRS = 4;
const get = (name, p = '') => `(local.get $${name}${p})`;
const set = (name, p, value) => `(local.set $${name}${p} ${value})`;

/**
 * How four v128, or one row in the lower lane, are read and
 * written; `base` is a local, `$o` the offset from it in bytes.
 */
const wide = {
  load: (base, p) => `(v128.load offset=${16 * p} (i32.add ${get(base)} ${get('o')}))`,
  store: (base, p, value) => `(v128.store offset=${16 * p} (i32.add ${get(base)} ${get('o')}) ${value})`,
  scratch: (field, p) => `(v128.load offset=${layout[field] + 16 * p} ${get('o')})`,
  keep: (field, p, value) => `(v128.store offset=${layout[field] + 16 * p} ${get('o')} ${value})`,
};
const single = {
  load: (base) => `(v128.load64_zero (i32.add ${get(base)} ${get('o')}))`,
  store: (base, _, value) => `(v128.store64_lane 0 (i32.add ${get(base)} ${get('o')}) ${value})`,
  scratch: (field) => `(v128.load64_zero offset=${layout[field]} ${get('o')})`,
  keep: (field, _, value) => `(v128.store64_lane offset=${layout[field]} 0 ${get('o')} ${value})`,
};

const names = ['x', 'm', 'k', 'r', 'q', 'even', 'odd', 'v'];
const rowLocals = `${locals('i32', 'o', 'end')} ${locals('v128', 'sum', 'from', 'to', 'most', 'least', 'inverse', 'round')} ${range(
  PAIRS,
)
  .map((p) => locals('v128', ...names.map((name) => name + p)))
  .join(' ')}`;

/** Bytes of the rows that fill whole groups. */
const inGroups = `(i32.mul (i32.div_u ${get('count')} (i32.const ${2 * PAIRS})) (i32.const ${16 * PAIRS}))`;

/** `steps(access)` is a list of templates, each written for all rows of a group before the next. */
const groups = (steps, collect) => `
  (local.set $end ${inGroups})
  ${loopBelow(
    'o',
    get('end'),
    16 * PAIRS,
    `${steps(wide)
      .map((step) => range(PAIRS).map(step).join('\n'))
      .join('\n')} ${collect(PAIRS)}`,
  )}`;
const rest = (steps, collect) => `
  (local.set $end (i32.shl ${get('count')} (i32.const 3)))
  (local.set $o ${inGroups})
  ${loopBelow(
    'o',
    get('end'),
    8,
    `${steps(single)
      .map((step) => step(0))
      .join('\n')} ${collect(1)}`,
  )}`;

/**
 * A kernel over rows: groups first, then the rows left over, each
 * in a function of their own. With `result`, both results joined.
 */
function kernel(name, { parameters, setUp = '', steps, collect = () => '', result }) {
  const given = [...parameters.matchAll(/\$\w+/g)].map(([parameter]) => `(local.get ${parameter})`).join(' ');
  const part = (suffix, loop) => `
    (func $${name}_${suffix} ${parameters} ${result === undefined ? '' : `(result ${result.type})`}
      ${rowLocals} ${setUp} ${loop(steps, collect)} ${result?.value ?? ''})`;
  const calls = [
    `(call $${name}_groups ${given})`,
    `(if ${result === undefined ? '' : `(result ${result.type})`} (i32.rem_u ${get('count')} (i32.const ${2 * PAIRS}))
    (then (call $${name}_rest ${given})) ${result === undefined ? '' : `(else (${result.type}.const 0))`})`,
  ];
  return `${part('groups', groups)} ${part('rest', rest)}
    (func (export "${name}") ${parameters} ${result === undefined ? '' : `(result ${result.type})`} ${result === undefined ? calls.join('\n') : `(${result.join} ${calls.join('\n')})`})`;
}

const treeOf = (from, to) =>
  to - from === 1
    ? get('v', from)
    : `(f64x2.add ${treeOf(from, (from + to) >> 1)} ${treeOf((from + to) >> 1, to)})`;
/** Sums of `$v`: in groups over their rows first, and the two lanes last. */
const sums = {
  collect: (rows) => set('sum', '', `(f64x2.add ${get('sum')} ${treeOf(0, rows)})`),
  result: {
    type: 'f64',
    join: 'f64.add',
    value: `(f64.add (f64x2.extract_lane 0 ${get('sum')}) (f64x2.extract_lane 1 ${get('sum')}))`,
  },
};
const finiteOrZero = (p) => set('v', p, `(v128.and ${get('v', p)} (f64x2.eq ${get('v', p)} ${get('v', p)}))`);

/**
 * The product of `$x` with an entry of the point, its last bit
 * set: never half way between two places of the grid.
 */
const termOf = (entry, p) => `(v128.or (f64x2.mul ${get('x', p)} ${get(entry)}) (v128.const i64x2 1 1))`;

/**
 * Brings `$m`, a margin and the number it is counted from, up to date: entry `$before` of the point became
 * `$after`. Additions round to the grid. From 0 nothing is to be taken back, to the same bits.
 */
const shifted = ({ load, store }, fromZero = false) => [
  (p) => set('x', p, load('old', p)),
  (p) => set('m', p, fromZero ? load('z', p) : `(f64x2.sub ${load('z', p)} ${termOf('from', p)})`),
  (p) => set('m', p, `(f64x2.add ${get('m', p)} ${termOf('to', p)})`),
  (p) => store('z', p, get('m', p)),
];
const shiftParameters = '(param $old i32) (param $before f64) (param $after f64)';
/** `$m` becomes the margin alone. */
const margin =
  ({ load }) =>
  (p) =>
    set('m', p, `(f64x2.sub ${get('m', p)} ${load('grid', p)})`);
const shiftSetUp =
  `${set('from', '', `(f64x2.splat ${get('before')})`)} ` +
  `${set('to', '', `(f64x2.splat ${get('after')})`)}`;

const ROUND = 6755399441055744; // adding it leaves round(x) in the low bits
/*
 * 2^m = 2^k 2^f with k = round(m), |f| <= 1/2, and 2^f = (E + O) / (E - O), E = e0 + e1 f² + f⁴, O = f (o0 +
 * o1 f²): fitted to tanh(f ln(2) / 2) / f at the four Chebyshev nodes of f². Error of 2^f below 2.3e-14.
 * Adding k to the exponent of a number multiplies it by 2^k.
 */
const FIT = { o0: 2524.7412887373503, o1: 28.87315261195077, e0: 7284.863473578437, e1: 374.9798591051725 };

/**
 * `$v` = 1 / (1 + 2^-m) - target, where `$r` is the fraction
 * f of m, and `$k` ends with the bits of the whole number k.
 */
const sigmoid = (target) => [
  (p) => set('q', p, `(f64x2.mul ${get('r', p)} ${get('r', p)})`),
  (p) =>
    set(
      'odd',
      p,
      `(f64x2.mul ${get('r', p)} (f64x2.add ${f64x2(FIT.o0)} (f64x2.mul ${get('q', p)} ${f64x2(FIT.o1)})))`,
    ),
  (p) =>
    set(
      'even',
      p,
      `(f64x2.add ${f64x2(FIT.e0)} (f64x2.mul ${get('q', p)} (f64x2.add ${get('q', p)} ${f64x2(FIT.e1)})))`,
    ),
  (
    p,
  ) => `${set('r', p, `(i64x2.add (f64x2.add ${get('even', p)} ${get('odd', p)}) (i64x2.shl ${get('k', p)} (i32.const 52)))`)}
    ${set('even', p, `(f64x2.sub ${get('even', p)} ${get('odd', p)})`)}`,
  (p) => set('v', p, `(f64x2.div ${get('r', p)} (f64x2.add ${get('even', p)} ${get('r', p)}))`),
  (p) => set('v', p, `(f64x2.sub ${get('v', p)} ${target(p)})`),
];
/**
 * The logistic loss's slope, from the margin divided by ln 2; the target is 1 for label 1 and 0 for label -1.
 */
const logistic = (access) => [
  margin(access),
  (p) => set('m', p, `(f64x2.pmax (f64x2.pmin ${get('m', p)} ${f64x2(1000)}) ${f64x2(-1000)})`),
  (p) => set('k', p, `(f64x2.add ${get('m', p)} ${f64x2(ROUND)})`),
  (p) => set('r', p, `(f64x2.sub ${get('m', p)} (f64x2.sub ${get('k', p)} ${f64x2(ROUND)}))`),
  ...sigmoid((p) => access.load('targets', p)),
];
/**
 * The same bits where all margins are counted from one whole
 * number, and less than 1000: no step here rounds but that to k.
 */
const logisticShared = (access) => [
  (p) => set('k', p, `(f64x2.add ${get('m', p)} ${get('round')})`),
  (p) => set('r', p, `(f64x2.sub ${get('m', p)} (f64x2.sub ${get('k', p)} ${get('round')}))`),
  ...sigmoid((p) => access.load('targets', p)),
];
const sharedSetUp = set('round', '', `(f64x2.sub ${f64x2(ROUND)} (v128.load64_splat ${get('grid')}))`);
/** `$v` = m - target: the squared loss's slope, where the target is the label. */
const squared = (access) => [
  margin(access),
  (p) => set('v', p, `(f64x2.sub ${get('m', p)} ${access.load('targets', p)})`),
];

/**
 * One coordinate of up to CHUNK rows: shifts margins, and gives the sum of slope * x, each held to ±radius.
 */
const step = (name, rule, { shared = false, fromZero = false } = {}) =>
  kernel(name, {
    ...sums,
    parameters:
      `(param $z i32) (param $grid i32) ${shiftParameters} (param $x i32) (param $targets i32) (param ` +
      '$count i32) (param $radius f64)',
    setUp:
      `${shiftSetUp} ${shared ? sharedSetUp : ''} ${set('most', '', `(f64x2.splat ${get('radius')})`)} ` +
      `${set('least', '', `(f64x2.neg ${get('most')})`)}`,
    steps: (access) => [
      ...shifted(access, fromZero),
      ...rule(access),
      (p) =>
        set(
          'v',
          p,
          `(f64x2.pmax (f64x2.pmin (f64x2.mul ${access.load('x', p)} ` +
            `${get('v', p)}) ${get('most')}) ${get('least')})`,
        ),
      ...(shared ? [] : [finiteOrZero]),
    ],
  });

const shift = kernel('shiftMargins', {
  parameters: `(param $z i32) ${shiftParameters} (param $count i32)`,
  setUp: shiftSetUp,
  steps: (access) => shifted(access),
});

/**
 * coefficient[i] = slope of row i, shortened so that slope *
 * norm[i] is within ±radius; 0 where it is not finite.
 */
const slopes = (name, rule) =>
  kernel(name, {
    parameters:
      '(param $z i32) (param $grid i32) (param $targets i32) (param $count i32) (param $inverseRadius f64)',
    setUp: set('inverse', '', `(f64x2.splat ${get('inverseRadius')})`),
    steps: (access) => [
      (p) => set('m', p, access.load('z', p)),
      ...rule(access),
      (p) =>
        set(
          'v',
          p,
          `(f64x2.div ${get('v', p)} (f64x2.pmax ${f64x2(1)} (f64x2.mul (f64x2.abs ${get('v', p)}) ` +
            `(f64x2.mul ${access.scratch('norms', p)} ${get('inverse')}))))`,
        ),
      finiteOrZero,
      (p) => access.keep('coefficients', p, get('v', p)),
    ],
  });

/**
 * norm[i] += x[i]², label[i] = max(label[i], |x[i]|), on
 * scratch that holds sums of squares and largest sizes so far.
 */
const addSquares = kernel('addSquares', {
  parameters: '(param $x i32) (param $count i32)',
  steps: ({ load, scratch, keep }) => [
    (p) => set('x', p, load('x', p)),
    (p) => keep('norms', p, `(f64x2.add ${scratch('norms', p)} (f64x2.mul ${get('x', p)} ${get('x', p)}))`),
    (p) => keep('labels', p, `(f64x2.pmax ${scratch('labels', p)} (f64x2.abs ${get('x', p)}))`),
  ],
});

/** norm[i] = √norm[i]; true if a sum of squares has lost something to underflow or overflow. */
const roots = kernel('roots', {
  parameters: '(param $count i32)',
  result: { type: 'i32', join: 'i32.or', value: `(v128.any_true ${get('sum')})` },
  steps: ({ scratch, keep }) => [
    (p) => set('v', p, scratch('norms', p)),
    (p) =>
      set(
        'sum',
        '',
        `(v128.or ${get('sum')} (v128.or (f64x2.gt ${get('v', p)} ${f64x2(1e300)})
      (v128.and (f64x2.lt ${get('v', p)} ${f64x2(1e-280)}) (f64x2.gt ${scratch('labels', p)} ${f64x2(0)}))))`,
      ),
    (p) => keep('norms', p, `(f64x2.sqrt ${get('v', p)})`),
  ],
});

/** Sum of coefficient[i] * x[i]. */
const dotColumn = kernel('dotColumn', {
  ...sums,
  parameters: '(param $x i32) (param $count i32)',
  steps: ({ load, scratch }) => [
    (p) => set('v', p, `(f64x2.mul ${scratch('coefficients', p)} ${load('x', p)})`),
  ],
});

export const coordinateKernels = [
  shift,
  step('stepLogistic', logistic),
  step('stepLogisticShared', logisticShared, { shared: true }),
  step('stepLogisticSharedFromZero', logisticShared, { shared: true, fromZero: true }),
  step('stepSquared', squared),
  slopes('slopesLogistic', logistic),
  slopes('slopesSquared', squared),
  addSquares,
  roots,
  dotColumn,
].join('\n');
