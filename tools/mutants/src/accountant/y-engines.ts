import type { Accountant, Adjacency } from '@lethe/core';
import { subjectsOf, type LawId, type Subject } from '@lethe/laws';
import { defineMutant, type Mutant } from '../mutant.js';
import { patched, type Patch } from '../patched.js';

type Engine = 'pld' | 'rdp' | 'zcdp' | 'tcdp' | 'gdp' | 'basic' | 'advanced' | 'optimal' | 'saddlePoint';

const homes: Readonly<Record<Engine, string>> = {
  pld: 'pld/pld.ts',
  rdp: 'renyi/rdp.ts',
  zcdp: 'renyi/zcdp.ts',
  tcdp: 'renyi/tcdp.ts',
  gdp: 'gaussian/gdp.ts',
  basic: 'composition/basic.ts',
  advanced: 'composition/advanced.ts',
  optimal: 'composition/optimal.ts',
  saddlePoint: 'saddle-point/saddle-point.ts',
};

/** A shipped accountant with a bug in the sources of its engine. */
const bug = (
  engine: Engine,
  id: string,
  title: string,
  patches: Patch | readonly Patch[],
  killedBy: readonly LawId<'accountant'>[],
  cell?: Adjacency,
): Mutant<'accountant'> =>
  defineMutant({
    id: `accountant/engine-${id}`,
    title: `${engine}: ${title}`,
    kind: 'accountant',
    source: 'shipped engine',
    killedBy,
    within: 2000,
    ...(cell === undefined ? {} : { cell }),
    async plant() {
      const module = await patched<Readonly<Record<Engine, Accountant>>>(
        `accountants/src/${homes[engine]}`,
        [patches].flat(),
      );
      return subjectsOf(module[engine])[0] as Subject<'accountant'>;
    },
  });

export const engine1 = bug(
  'pld',
  'dominated-masses-keep-what-is-pending',
  'mass below a node that nothing balances goes up to the node, and not down',
  {
    file: 'pld/lower-masses.ts',
    find: 'else takePending = Math.max(0, gain) / lack;',
    put: 'else takePending = 1;',
  },
  ['accountant/truth'],
  'add-remove',
);
export const engine2 = bug(
  'pld',
  'dominating-masses-rounded-down',
  'the mass between two nodes goes to the lower one',
  {
    file: 'pld/discretise.ts',
    find: '    upper[i] += mass - up;\n    upper[i + 1] += up;',
    put: '    upper[i] += mass;',
  },
  ['accountant/truth'],
);
export const engine3 = bug(
  'pld',
  'circle-too-small',
  'the circle of the transform is a quarter of what the product reaches, and what wraps around is forgotten',
  [
    {
      file: 'pld/product-profile.ts',
      find: '2 * Math.ceil(reach * 0.51 + 8)',
      put: '2 * Math.ceil(reach * 0.13 + 8)',
    },
    {
      file: 'pld/product-profile.ts',
      find: '(value - error) * Math.exp(logScale) - outside',
      put: '(value - error) * Math.exp(logScale)',
    },
    {
      file: 'pld/product-profile.ts',
      find: 'Math.exp(Math.max(-740, logScale)) + outside',
      put: 'Math.exp(Math.max(-740, logScale))',
    },
  ],
  ['accountant/truth'],
);
export const engine4 = bug(
  'pld',
  'moment-of-tilt-forgets-shift',
  'the moment of a tilted distribution is that of the unscaled weights',
  {
    file: 'pld/tilted-distribution.ts',
    find: 'logMoment: most + Math.log(sum),',
    put: 'logMoment: Math.log(sum),',
  },
  ['accountant/truth', 'accountant/interval'],
);
export const engine5 = bug(
  'pld',
  'powers-of-transform-lose-phase',
  'the phase of a power is taken modulo π',
  {
    file: 'pld/spectrum.ts',
    find: '(count * Math.atan2(y, x)) % (2 * Math.PI)',
    put: '(count * Math.atan2(y, x)) % Math.PI',
  },
  ['accountant/truth'],
);
export const engine6 = bug(
  'pld',
  'support-of-one-release',
  'the largest loss of a product is that of one release of each kind',
  {
    file: 'pld/bounds-of-product.ts',
    find: 'sum + count * distribution.support.most, 0) *\n    (1 + 2 ** -50);',
    put: 'sum + distribution.support.most, 0) *\n    (1 + 2 ** -50);',
  },
  ['accountant/truth'],
);
export const engine7 = bug(
  'pld',
  'free-below-twice-delta',
  'a product is free where its total variation is at most 2δ',
  { file: 'pld/bounds-of-product.ts', find: ') <= goal.delta\n  )', put: ') <= 2 * goal.delta\n  )' },
  ['accountant/truth', 'accountant/conversion'],
);
export const engine8 = bug(
  'pld',
  'terms-of-jumps-left-out',
  'terms with more than one large loss are left out',
  {
    file: 'pld/jumps.ts',
    find: 'if (number > 1 && weight.upper < logDelta + leftOut) return { terms, rest: weight.upper };',
    put: 'if (number > 1) return { terms, rest: -Infinity };',
  },
  ['accountant/truth', 'accountant/conversion'],
  'add-remove',
);
export const engine9 = bug(
  'pld',
  'weight-of-jumps-without-choices',
  'a term with k large losses has the weight mass^k, without the choices of which',
  {
    file: 'pld/jumps.ts',
    find: 'return { lower: lower + log - slack, upper: upper + log + slack',
    put: 'return { lower: 0 * lower + log - slack, upper: 0 * upper + log + slack',
  },
  ['accountant/truth', 'accountant/conversion'],
);
export const engine10 = bug(
  'pld',
  'lower-end-of-pairs-not-attained',
  'the lower end counts pairs that no neighbours attain',
  { file: 'pld/bounds-of-pairs.ts', find: 'if (question.isAttained) lower', put: 'lower' },
  ['accountant/truth', 'accountant/sampling', 'accountant/amplified'],
);
export const engine11 = bug(
  'rdp',
  'shortfall-of-order-twice',
  'the conversion of a Rényi divergence has log(1 − 1/α) twice',
  {
    file: 'renyi/renyi-conversion.ts',
    find: 'addUp(divergence + shortfall - price, grain * size)',
    put: 'addUp(divergence + 2 * shortfall - price, grain * size)',
  },
  ['accountant/truth'],
);
export const engine12 = bug(
  'tcdp',
  'orders-beyond-omega',
  'orders at and above ω are taken too',
  {
    file: 'renyi/tcdp.ts',
    find: 'alpha < omega ? multiplyUp(rho, alpha) : Infinity;\n/**',
    put: 'multiplyUp(rho, alpha) + 0 * omega;\n/**',
  },
  ['accountant/truth', 'accountant/promises', 'accountant/conversion'],
);
export const engine13 = bug(
  'gdp',
  'lower-end-from-upper-mu',
  'the lower end is that of the upper bound on μ',
  {
    file: 'gaussian/gdp.ts',
    find: 'lower: gaussianDelta(lower, epsilon).lower',
    put: 'lower: gaussianDelta(mu + 0 * lower, epsilon).lower',
  },
  ['accountant/truth'],
);
export const engine14 = bug(
  'advanced',
  'mean-loss-halved',
  'the mean loss of a response is ε tanh(ε/2)/2',
  {
    file: 'composition/advanced.ts',
    find: 'epsilon > 700 ? epsilon : meanLoss(epsilon)',
    put: 'epsilon > 700 ? epsilon : meanLoss(epsilon) / 2',
  },
  ['accountant/truth'],
);
export const engine15 = bug(
  'optimal',
  'tail-of-responses-cut',
  'the sum over rare answers stops at half of its mass, and the rest is forgotten',
  [
    {
      file: 'composition/responses.ts',
      find: 'term * ratio < 2 ** -60 * sum * (1 - ratio)',
      put: 'term * ratio < 2 ** -1 * sum * (1 - ratio)',
    },
    {
      file: 'composition/responses.ts',
      find: 'if (up) sum += (term * ratio) / (1 - ratio);',
      put: '',
    },
  ],
  ['accountant/truth', 'accountant/conversion'],
);
export const engine16 = bug(
  'saddlePoint',
  'lower-end-without-error-of-contour',
  'both bounds come from the dominating masses',
  {
    file: 'saddle-point/curve.ts',
    find: "expDown(Math.min(0, contour(lower, lambda, 'lower', around)(epsilon)))",
    put: "expDown(Math.min(0, contour(upper, lambda, 'upper', around)(epsilon)))",
  },
  ['accountant/truth'],
);
export const engine17 = bug(
  'basic',
  'delta-of-one-release',
  'the δ of releases is the largest and not their sum',
  {
    file: 'composition/accountant-of-parts.ts',
    find: 'addUp(fails.upper, multiplyUp(subtractUp(1, fails.upper), excess.upper))',
    put: 'addUp(fails.upper / 2, multiplyUp(subtractUp(1, fails.upper), excess.upper))',
  },
  ['accountant/truth', 'accountant/failing'],
);
export const engine18 = bug(
  'basic',
  'delta-of-subset-amplified-twice',
  'δ of a subset is multiplied by the square of its share',
  {
    file: 'events/kinds/sampled/fixed-size.ts',
    find: 'delta: multiplyUp(share, delta)',
    put: 'delta: multiplyUp(share, share * delta)',
  },
  ['accountant/presence'],
);
export const engine19 = bug(
  'basic',
  'group-of-one-less',
  'a group costs as much as one with a record less',
  {
    file: 'events/kinds/group.ts',
    find: "chainedApproximate(of('approximate'), size)",
    put: "chainedApproximate(of('approximate'), size - 1)",
  },
  ['accountant/groups'],
);
export const engine20 = bug(
  'pld',
  'replaced-group-as-present',
  'a group in a sample, each record replaced, is charged as present or absent',
  {
    file: 'events/group/poisson-pairs.ts',
    find: 'means.map((mean) => -mean)',
    put: 'means.map(() => 0)',
  },
  ['accountant/amplified'],
);
export const engine21 = bug(
  'pld',
  'chord-below',
  'a member of a family lies on the chord carried on, where a chord above is needed',
  {
    file: 'pld/discretise-ensemble.ts',
    find: 'members: members.map(({ count, upperShare: share }) => ({ count, share })),',
    put: 'members: members.map(({ count, upperShare: share }) => ({ count, share: 0.9 * share })),',
  },
  ['accountant/truth'],
);
export const engine22 = bug(
  'pld',
  'carried-on-too-far',
  'the chord below members of a family is carried on beyond them',
  {
    file: 'pld/ensemble.ts',
    find: 'divideDown(divideDown(subtractDown(at.lower, atFirst.upper), back.upper), reach)',
    put: '1.1 * divideDown(divideDown(subtractDown(at.lower, atFirst.upper), back.upper), reach)',
  },
  ['accountant/truth'],
);
export const engine23 = bug(
  'pld',
  'member-at-wrong-distance',
  'members of a family are placed nearer to the anchor below than they are',
  {
    file: 'pld/ensemble.ts',
    find: 'const at = halfVariation(mu);',
    put: 'const at = halfVariation(a + 0.9 * (mu - a));',
  },
  ['accountant/truth'],
);
