import { layout } from './layout.mjs';
import { f64x2, locals, loopBelow, range } from './wat.mjs';

/*
 * A gradient restricted to few coordinates, from columns: margins are kept up to date on a grid, so that sums of them are
 * exact (packages/core/src/linalg/margin-grid.ts says why). Arrays are walked side by side, four v128 at a time and step by
 * step, because each row is one long chain of dependent operations; the rows left over go one by one.
 */
const PAIRS = 4;
const get = (name, p = '') => `(local.get $${name}${p})`;
const set = (name, p, value) => `(local.set $${name}${p} ${value})`;

/** How four v128, or one row in the lower lane, are read and written; `base` is a local, `$o` the offset from it in bytes. */
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

const names = ['c', 'x', 'm', 'u', 'k', 'r', 'q', 'even', 'odd', 'v'];
const rowLocals = `${locals('i32', 'o', 'end')} ${locals('v128', 'sum', 'from', 'to', 'most', 'least', 'inverse')} ${range(PAIRS).map((p) => locals('v128', ...names.map((name) => name + p))).join(' ')}`;

/** Bytes of the rows that fill whole groups. */
const inGroups = `(i32.mul (i32.div_u ${get('count')} (i32.const ${2 * PAIRS})) (i32.const ${16 * PAIRS}))`;

/** `steps(access)` is a list of templates, each written for all rows of a group before the next. */
const groups = (steps, collect) => `
  (local.set $end ${inGroups})
  ${loopBelow('o', get('end'), 16 * PAIRS, `${steps(wide).map((step) => range(PAIRS).map(step).join('\n')).join('\n')} ${collect(PAIRS)}`)}`;
const rest = (steps, collect) => `
  (local.set $end (i32.shl ${get('count')} (i32.const 3)))
  (local.set $o ${inGroups})
  ${loopBelow('o', get('end'), 8, `${steps(single).map((step) => step(0)).join('\n')} ${collect(1)}`)}`;

/** A kernel over rows: groups first, then the rows left over, each in a function of their own. With `result`, both results joined. */
function kernel(name, { parameters, setUp = '', steps, collect = () => '', result }) {
  const given = [...parameters.matchAll(/\$\w+/g)].map(([parameter]) => `(local.get ${parameter})`).join(' ');
  const part = (suffix, loop) => `
    (func $${name}_${suffix} ${parameters} ${result === undefined ? '' : `(result ${result.type})`}
      ${rowLocals} ${setUp} ${loop(steps, collect)} ${result?.value ?? ''})`;
  const calls = [`(call $${name}_groups ${given})`, `(if ${result === undefined ? '' : `(result ${result.type})`} (i32.rem_u ${get('count')} (i32.const ${2 * PAIRS}))
    (then (call $${name}_rest ${given})) ${result === undefined ? '' : `(else (${result.type}.const 0))`})`];
  return `${part('groups', groups)} ${part('rest', rest)}
    (func (export "${name}") ${parameters} ${result === undefined ? '' : `(result ${result.type})`} ${result === undefined ? calls.join('\n') : `(${result.join} ${calls.join('\n')})`})`;
}

const treeOf = (from, to) => (to - from === 1 ? get('v', from) : `(f64x2.add ${treeOf(from, (from + to) >> 1)} ${treeOf((from + to) >> 1, to)})`);
/** Sums of `$v`: in groups over their rows first, and the two lanes last. */
const sums = {
  collect: (rows) => set('sum', '', `(f64x2.add ${get('sum')} ${treeOf(0, rows)})`),
  result: { type: 'f64', join: 'f64.add', value: `(f64.add (f64x2.extract_lane 0 ${get('sum')}) (f64x2.extract_lane 1 ${get('sum')}))` },
};
const finiteOrZero = (p) => set('v', p, `(v128.and ${get('v', p)} (f64x2.eq ${get('v', p)} ${get('v', p)}))`);

/**
 * Brings the margin `$m` up to date: entry `$before` of the point became `$after`. Exact, on the grid that `$c` stands for. From 0
 * nothing is to be taken back, to the same bits.
 */
const shifted = ({ load, store }, fromZero = false) => [
  (p) => `${set('c', p, load('grid', p))} ${set('x', p, load('old', p))}`,
  (p) => set('q', p, `(f64x2.add (f64x2.mul ${get('x', p)} ${get('to')}) ${get('c', p)})`),
  ...(fromZero ? [] : [(p) => set('c', p, `(f64x2.add (f64x2.mul ${get('x', p)} ${get('from')}) ${get('c', p)})`)]),
  (p) => set('m', p, `(f64x2.add ${load('z', p)} (f64x2.sub ${get('q', p)} ${get('c', p)}))`),
  (p) => store('z', p, get('m', p)),
];
const shiftParameters = '(param $z i32) (param $grid i32) (param $old i32) (param $before f64) (param $after f64)';
const shiftSetUp = `${set('from', '', `(f64x2.splat ${get('before')})`)} ${set('to', '', `(f64x2.splat ${get('after')})`)}`;

const ROUND = 6755399441055744 + 1023; // adding it leaves round(x) + 1023 in the low bits
/*
 * e^m = 2^k 2^f with k = round(u), u = m / ln 2, |f| <= 1/2, and 2^f = (E + O) / (E - O), E = 1 + e1 f² + e2 f⁴,
 * O = f (o0 + o1 f²): fitted to tanh(f ln(2) / 2) / f at the four Chebyshev nodes of f². Error of 2^f below 2.3e-14.
 */
const FIT = { o0: 0.3465735902799505, o1: 0.003963444574722803, e1: 0.05147383481724698, e2: 0.00013727093220441435 };

/** `$v` = 1 / (1 + e^-m) - target: the logistic loss's slope, where the target is 1 for label 1 and 0 for label -1. */
const logistic = (target, held) => [
  (p) => set('u', p, `(f64x2.mul ${get('m', p)} ${f64x2(Math.LOG2E)})`),
  ...(held ? [(p) => set('u', p, `(f64x2.pmax (f64x2.pmin ${get('u', p)} ${f64x2(1020)}) ${f64x2(-1020)})`)] : []),
  (p) => set('k', p, `(f64x2.add ${get('u', p)} ${f64x2(ROUND)})`),
  (p) => set('r', p, `(f64x2.sub ${get('u', p)} (f64x2.sub ${get('k', p)} ${f64x2(ROUND)}))`),
  (p) => set('q', p, `(f64x2.mul ${get('r', p)} ${get('r', p)})`),
  (p) => set('odd', p, `(f64x2.mul ${get('r', p)} (f64x2.add ${f64x2(FIT.o0)} (f64x2.mul ${get('q', p)} ${f64x2(FIT.o1)})))`),
  (p) => set('even', p, `(f64x2.add ${f64x2(FIT.e1)} (f64x2.mul ${get('q', p)} ${f64x2(FIT.e2)}))`),
  (p) => set('even', p, `(f64x2.add ${f64x2(1)} (f64x2.mul ${get('q', p)} ${get('even', p)}))`),
  (p) => `${set('r', p, `(f64x2.mul (f64x2.add ${get('even', p)} ${get('odd', p)}) (i64x2.shl ${get('k', p)} (i32.const 52)))`)}
    ${set('even', p, `(f64x2.sub ${get('even', p)} ${get('odd', p)})`)}`,
  (p) => set('v', p, `(f64x2.div ${get('r', p)} (f64x2.add ${get('even', p)} ${get('r', p)}))`),
  (p) => set('v', p, `(f64x2.sub ${get('v', p)} ${target(p)})`),
];
/** `$v` = m - target: the squared loss's slope, where the target is the label. */
const squared = (target) => [(p) => set('v', p, `(f64x2.sub ${get('m', p)} ${target(p)})`)];

/**
 * One coordinate of up to CHUNK rows: shifts margins, and gives the sum of slope * x, each held to ±radius. `held`: for
 * margins of any size; else for finite ones up to 700, to the same bits.
 */
const step = (name, rule, held, fromZero = false) => kernel(name, {
  ...sums,
  parameters: `${shiftParameters} (param $x i32) (param $targets i32) (param $count i32) (param $radius f64)`,
  setUp: `${shiftSetUp} ${set('most', '', `(f64x2.splat ${get('radius')})`)} ${set('least', '', `(f64x2.neg ${get('most')})`)}`,
  steps: (access) => [
    ...shifted(access, fromZero),
    ...rule((p) => access.load('targets', p), held),
    (p) => set('v', p, `(f64x2.pmax (f64x2.pmin (f64x2.mul ${access.load('x', p)} ${get('v', p)}) ${get('most')}) ${get('least')})`),
    ...(held ? [finiteOrZero] : []),
  ],
});

const shift = kernel('shiftMargins', { parameters: `${shiftParameters} (param $count i32)`, setUp: shiftSetUp, steps: (access) => shifted(access) });

/** coefficient[i] = slope of row i, shortened so that slope * norm[i] is within ±radius; 0 where it is not finite. */
const slopes = (name, rule) => kernel(name, {
  parameters: '(param $z i32) (param $targets i32) (param $count i32) (param $inverseRadius f64)',
  setUp: set('inverse', '', `(f64x2.splat ${get('inverseRadius')})`),
  steps: (access) => [
    (p) => set('m', p, access.load('z', p)),
    ...rule((p) => access.load('targets', p), true),
    (p) => set('v', p, `(f64x2.div ${get('v', p)} (f64x2.pmax ${f64x2(1)} (f64x2.mul (f64x2.abs ${get('v', p)}) (f64x2.mul ${access.scratch('norms', p)} ${get('inverse')}))))`),
    finiteOrZero,
    (p) => access.keep('coefficients', p, get('v', p)),
  ],
});

/** norm[i] += x[i]², label[i] = max(label[i], |x[i]|), on scratch that holds sums of squares and largest sizes so far. */
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
    (p) => set('sum', '', `(v128.or ${get('sum')} (v128.or (f64x2.gt ${get('v', p)} ${f64x2(1e300)})
      (v128.and (f64x2.lt ${get('v', p)} ${f64x2(1e-280)}) (f64x2.gt ${scratch('labels', p)} ${f64x2(0)}))))`),
    (p) => keep('norms', p, `(f64x2.sqrt ${get('v', p)})`),
  ],
});

/** Sum of coefficient[i] * x[i]. */
const dotColumn = kernel('dotColumn', {
  ...sums,
  parameters: '(param $x i32) (param $count i32)',
  steps: ({ load, scratch }) => [(p) => set('v', p, `(f64x2.mul ${scratch('coefficients', p)} ${load('x', p)})`)],
});

export const coordinateKernels = [
  shift, step('stepLogistic', logistic, false), step('stepLogisticFromZero', logistic, false, true), step('stepLogisticHeld', logistic, true), step('stepSquared', squared, true),
  slopes('slopesLogistic', logistic), slopes('slopesSquared', squared), addSquares, roots, dotColumn,
].join('\n');
