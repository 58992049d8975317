import { optimizers } from '@lethe/algorithms';
import { defineLowerBound, type HardInstance, type LowerBound, type Registry } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { losses } from '@lethe/losses';
import { convexLowerBound } from '@lethe/lower-bounds';
import { mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';

const source = 'generic';
const registry: Registry = [...losses, ...optimizers, ...mechanisms];
type Given = Parameters<typeof convexLowerBound.evaluate>[0];
type Bugs = Partial<Omit<typeof convexLowerBound, 'kind'>>;
type Factor = (given: Given) => number;

/** The bound with changed methods, at one of its examples. */
const planted = (bugs: Bugs, example: 0 | 1 | 2 = 0): Subject<'lowerBound'> =>
  subjectsOf(
    defineLowerBound({ ...convexLowerBound, ...bugs } as Omit<
      typeof convexLowerBound,
      'kind'
    >) as unknown as LowerBound,
    { registry: [...registry] },
  )[example] as Subject<'lowerBound'>;
const valued = (factor: (given: Given) => number): Bugs => ({
  evaluate(given) {
    const found = convexLowerBound.evaluate(given);
    return { ...found, value: found.value * factor(given) };
  },
});
const drawnAs = (change: (drawn: HardInstance, given: Given) => HardInstance): Bugs => ({
  instance: (given, random) => change(defined(convexLowerBound.instance)(given, random), given),
});

export const xLowerBound1 = defineMutant({
  id: 'lower-bound/lacks-root-n',
  title: 'a missing factor √n',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/below-upper-bounds'],
  within: 60,
  plant: () => planted(valued(({ n }) => Math.sqrt(n))),
});
export const xLowerBound2 = defineMutant({
  id: 'lower-bound/infinite-moment-large',
  title: 'infinite for large moments',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/regime'],
  within: 300,
  plant: () => planted(valued(({ moment }) => (moment > 1e6 ? Infinity : 1))),
});
export const xLowerBound3 = defineMutant({
  id: 'lower-bound/spikes-scaled-chance-itself-not-root-order',
  title: 'rare values are scaled by their probability instead of its k-th root',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/instance-moment'],
  within: 20_000,
  plant: () =>
    planted(
      drawnAs((drawn, { n, dimension, rho, coupling, momentOrder }) => {
        const p = Math.min(1, (coupling * Math.sqrt(dimension)) / (n * Math.sqrt(rho)));
        return { ...drawn, features: drawn.features.map((x) => x * p ** (1 / momentOrder - 1)) };
      }),
      1,
    ),
});
export const xLowerBound4 = defineMutant({
  id: 'lower-bound/optimum-maximises',
  title: 'the optimum is the maximiser',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/instance'],
  within: 2,
  plant: () => planted(drawnAs((drawn) => ({ ...drawn, optimum: drawn.optimum.map((x) => -x) }))),
});
export const xLowerBound5 = defineMutant({
  id: 'lower-bound/excess-risk-another-problem-eight-times-signal',
  title: 'the excess risk of another problem: eight times the signal',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/excess-risk'],
  within: 60_000,
  plant: () => planted(drawnAs((drawn) => ({ ...drawn, excessRisk: (w) => 8 * drawn.excessRisk(w) }))),
});
export const xLowerBound6 = defineMutant({
  id: 'lower-bound/grows-n-once-n-passes-thousand',
  title: 'grows with n beyond 1000',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/monotone'],
  within: 200,
  plant: () => planted(valued(({ n }) => (n > 1000 ? n / 1000 : 1))),
});
export const xLowerBound7 = defineMutant({
  id: 'lower-bound/value-forgets-radius-units',
  title: 'the value is not homogeneous in the radius',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/homogeneous'],
  within: 40,
  plant: () => planted(valued(({ radius }) => 0.1 / radius)),
});
export const xLowerBound8 = defineMutant({
  id: 'lower-bound/domain-plans-read-half-wide-optimum-far',
  title: 'the domain of the problem does not contain the optimum',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/instance'],
  within: 2,
  plant: () =>
    planted({
      problem: (given) => ({
        ...defined(convexLowerBound.problem)(given),
        domain: { kind: 'domain', name: 'l2-ball', params: { radius: given.radius / 2 } },
      }),
    }),
});
export const xLowerBound9 = defineMutant({
  id: 'lower-bound/moments-plans-read-too-small-rare-records',
  title: 'the declared moments are too small for rare records',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/instance-moment'],
  within: 20_000,
  plant: () =>
    planted(
      {
        problem(given) {
          const posed = defined(convexLowerBound.problem)(given);
          return {
            ...posed,
            facts: Object.fromEntries(
              Object.entries(posed.facts).map(([name, fact]) => [name, { ...fact, value: fact.value / 2 }]),
            ),
          };
        },
      },
      1,
    ),
});
export const xLowerBound10 = defineMutant({
  id: 'lower-bound/plans-read-supremum-inside-mean-makes-moments',
  title: 'the declared moments with the supremum inside are smaller',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/problem'],
  within: 2,
  plant: () =>
    planted({
      problem(given) {
        const posed = defined(convexLowerBound.problem)(given);
        const fact = posed.facts['uniformGradientMoment.2'];
        return {
          ...posed,
          facts: { ...posed.facts, 'uniformGradientMoment.2': { ...fact, value: fact.value / 2 } },
        };
      },
    }),
});

/** Values and parts that drawn instances prove, each multiplied by a factor. */
const proved = (value: Factor, part: Factor): Bugs => ({
  evaluate(given) {
    const found = convexLowerBound.evaluate(given);
    const { drawn = found.value } = found;
    const parts = { ...found, drawn: drawn * part(given) };
    return { ...parts, value: Math.max(found.value * value(given), parts.drawn) };
  },
});
export const xLowerBound11 = defineMutant({
  id: 'lower-bound/value-half-as-high-again',
  title: 'the value and what drawn instances prove are 1.5 times what is proved',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/simple-answers'],
  within: 10_000,
  plant: () =>
    planted(
      proved(
        () => 1.5,
        () => 1.5,
      ),
    ),
});
export const xLowerBound12 = defineMutant({
  id: 'lower-bound/rare-records-prove-half-as-much-again',
  title: 'the part of rare records is 1.5 times what they prove',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/simple-answers'],
  within: 20_000,
  plant: () =>
    planted(
      proved(
        () => 1,
        ({ instance }) => (instance === 'private' ? 1.5 : 1),
      ),
      2,
    ),
});
export const xLowerBound13 = defineMutant({
  id: 'lower-bound/value-above-what-instances-prove',
  title: 'the value is 1.5 times the largest part that instances prove',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/simple-answers'],
  within: 10_000,
  plant: () =>
    planted(
      proved(
        () => 1.5,
        () => 1,
      ),
    ),
});
