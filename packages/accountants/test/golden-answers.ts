import {
  type Accountant,
  type Adjacency,
  composedEvent,
  gaussianEvent,
  groupEvent,
  type PrivacyLossDistribution,
  type PrivacyEvent,
  repeatedEvent,
  sampledEvent,
} from '@lethe/core';
import {
  atomicLossDistribution,
  discreteGaussianLossDistribution,
  gaussianLossDistribution,
  gaussianMixtureLossDistribution,
  laplaceLossDistribution,
  presentInPoisson,
  replacedInPoisson,
  resolveEvent,
} from '../src/events/index.js';
import { bisectUp, defined } from '@lethe/numerics';
import {
  accountants,
  bestOf,
  calibrator,
  detectionRate,
  gaussianDetectionRate,
  gaussianDomination,
  gdp,
  groupEpsilon,
  negativeBinomialSelection,
  optimal,
  pld,
  privacyLossDistribution,
  profileOf,
  rdp,
  renyiEpsilon,
  zcdp,
} from '../src/index.js';
import {
  approximate,
  concentrated,
  exponential,
  gaussian,
  gaussians,
  laplace,
  plain,
  poisson,
  pure,
  response,
  sgd,
} from './events.js';
import { lossKind } from './loss-kind.js';

const adjacency = 'add-remove';
/** Narrower than published values are rounded. */
const fine = privacyLossDistribution({ width: 1e-6 });
const best = bestOf(accountants);
const calibrate = calibrator(accountants);

type Key =
  | 'sigma'
  | 'sensitivity'
  | 'epsilon'
  | 'delta'
  | 'b'
  | 'q'
  | 'num_queries'
  | 'sample_rate'
  | 'epochs'
  | 'steps'
  | 'alpha'
  | 'p'
  | 'k'
  | 'rho'
  | 'batch_size'
  | 'batch'
  | 'n'
  | 'arbitrary'
  | 'microbatching'
  | 'eps_error'
  | 'ncomp'
  | 'target_eps'
  | 'target_delta'
  | 'count'
  | 'truncation_bound'
  | 'mean'
  | 'shape'
  | 'order'
  | 'user_delta'
  | 'max_examples_per_user'
  | 'total_delta'
  | 'total_epsilon'
  | 'fpr'
  | 'mu'
  | 'grid'
  | 'infinity_mass'
  | 'B'
  | 'selected';
type Numbers = { readonly [K in Key]?: number };
type Raw = Readonly<Record<string, unknown>>;
/** Our value, or several; or both ends of what we know. */
export type Answer = number | readonly number[] | { readonly lower: number; readonly upper: number };

const epsilonBy = (
  accountant: Pick<Accountant, 'epsilon'>,
  event: PrivacyEvent,
  delta: number,
  under: Adjacency = adjacency,
): number => accountant.epsilon(event, { adjacency: under, delta }).upper;
const deltaBy = (
  accountant: Pick<Accountant, 'delta'>,
  event: PrivacyEvent,
  epsilon: number,
  under: Adjacency = adjacency,
): number => accountant.delta(event, { adjacency: under, epsilon }).upper;
const orders = (event: PrivacyEvent, alphas: readonly unknown[], under: Adjacency = adjacency): number[] => {
  const curve = resolveEvent(event, 'rdp', { adjacency: under });
  return alphas.map((alpha) =>
    alpha === 'inf'
      ? resolveEvent(event, 'pure', { adjacency: under })
      : curve(Number(alpha) === 1 ? 1 + 3e-7 : Number(alpha)),
  );
};
const leastScale = (make: (scale: number) => PrivacyEvent, epsilon: number, delta: number): number =>
  calibrate({ make, target: { epsilon, delta }, adjacency, direction: 'larger-is-private' }).value;
const wide = (sensitivity: number, sigma: number): PrivacyEvent =>
  gaussianEvent(sigma, { [adjacency]: sensitivity });
const onGrid = (
  kind: 'core/discrete-laplace' | 'core/discrete-gaussian',
  scale: object,
  shift: number,
): PrivacyEvent => plain({ kind, v: 1, grid: 1, sensitivity: { [adjacency]: shift }, ...scale });
const mixture = (sigma: number, shifts: readonly number[], probabilities: readonly number[]): PrivacyEvent =>
  plain({ kind: 'core/gaussian-mixture', v: 1, sigma, shifts, probabilities });
const treeEvent = (sigma: number, steps: number): PrivacyEvent =>
  plain({
    kind: 'core/prefix-sum',
    v: 1,
    sigma,
    sensitivity: { [adjacency]: 1 },
    factorisation: 'tree',
    steps,
    participation: { times: 1, gap: steps },
    columnNorm: Math.sqrt(Math.ceil(Math.log2(steps + 1))),
  });
const batchOf = (n: number, size: number, sigma: number): PrivacyEvent =>
  sampledEvent(
    { kind: 'core/fixed-size', n, size, replacement: false },
    gaussianEvent(sigma, { 'replace-one': 1 }),
  );
const truncatedDraw = ({ n, q, B, sigma }: Numbers): PrivacyEvent =>
  sampledEvent(
    { kind: 'core/truncated-poisson', n: defined(n), rate: defined(q), most: defined(B) },
    gaussian(defined(sigma)),
  );
/**
 * A run as published statements count it: microbatches double the
 * sensitivity; in arbitrary order each record is used once an epoch.
 */
const trained = ({ epochs, n, batch, sigma }: Numbers, arbitrary: boolean): PrivacyEvent =>
  arbitrary
    ? gaussians(defined(sigma) / 2, defined(epochs))
    : sgd(
        defined(batch) / defined(n),
        defined(sigma) / 2,
        Math.ceil((defined(epochs) * defined(n)) / defined(batch)),
      );

/**
 * The law of one sampled release in one direction; `REPLACE` is
 * replacement of a record, where presences move the release apart.
 */
const sampledLaw = (
  inner: PrivacyLossDistribution,
  rate: number,
  direction: unknown,
): PrivacyLossDistribution =>
  rate === 1 ? inner : presentInPoisson(inner, rate, direction === 'ADD' ? 'add' : 'remove');
const gaussianSample = ({ sigma, sensitivity, q }: Numbers, direction: unknown): PrivacyLossDistribution => {
  const mu = defined(sensitivity) / defined(sigma);
  if (direction === 'REPLACE')
    return q === 1 ? gaussianLossDistribution(2 * mu) : replacedInPoisson(defined(q), mu);
  return sampledLaw(gaussianLossDistribution(mu), defined(q), direction);
};
function truncatedGaussian(sigma: number, shift: number, bound: number): PrivacyLossDistribution {
  const weight = (x: number): number => (Math.abs(x) > bound ? 0 : Math.exp(-(x * x) / (2 * sigma * sigma)));
  let total = 0;
  for (let x = -bound; x <= bound; x++) total += weight(x);
  return atomicLossDistribution(
    Array.from({ length: 2 * bound + shift + 1 }, (_, i) => ({
      p: weight(i - bound - shift) / total,
      q: weight(i - bound) / total,
    })),
  );
}
/** The least noise whose law meets the target. */
const leastWith = (law: (sigma: number) => PrivacyLossDistribution, { epsilon, delta }: Numbers): number =>
  bisectUp(
    (sigma) => (law(sigma).hockeyStick(defined(epsilon)).upper <= (delta ?? Number.NaN) ? 1 : -1),
    0.05,
    50,
  );
/** What the central limit makes of a run, by the published formula. */
const limitOf = (rate: number, sigma: number, steps: number): PrivacyEvent =>
  gaussian(1 / (rate * Math.sqrt(steps * Math.expm1(1 / sigma ** 2))));
const failing = (mechanisms: unknown): PrivacyEvent =>
  composedEvent(
    (mechanisms as readonly (readonly [number, number])[]).map(([epsilon, delta]) =>
      approximate(epsilon, delta),
    ),
  );

/** Ours for each kind of published value. */
export const answers: Readonly<Record<string, (p: Numbers, raw: Raw) => Answer>> = {
  'subsampled_gaussian.delta': (p, { direction }) =>
    gaussianSample(p, direction).hockeyStick(defined(p.epsilon)).upper,
  'subsampled_laplace.delta': (p, { direction }) =>
    sampledLaw(
      laplaceLossDistribution(defined(p.sensitivity) / defined(p.b)),
      defined(p.q),
      direction,
    ).hockeyStick(defined(p.epsilon)).upper,
  'truncated_discrete_gaussian.delta': (p, { direction }) =>
    sampledLaw(
      truncatedGaussian(defined(p.sigma), defined(p.sensitivity), defined(p.truncation_bound)),
      defined(p.q),
      direction,
    ).hockeyStick(defined(p.epsilon)).upper,
  'mixture_gaussian.delta': (p, { direction, sensitivities, probs }) =>
    gaussianMixtureLossDistribution(
      (sensitivities as number[]).map((s) => s / defined(p.sigma)),
      probs as number[],
      direction === 'ADD' ? 'add' : 'remove',
    ).hockeyStick(defined(p.epsilon)).upper,
  'subsampled_gaussian.calibrate_sigma': (p, { direction }) =>
    direction === undefined
      ? leastScale(
          (sigma) =>
            repeatedEvent(poisson(defined(p.q), wide(defined(p.sensitivity), sigma)), defined(p.num_queries)),
          defined(p.epsilon),
          defined(p.delta),
        )
      : leastWith((sigma) => gaussianSample({ ...p, sigma }, direction), p),
  'gaussian.calibrate_sigma': (p) =>
    leastScale(
      (sigma) => repeatedEvent(wide(p.sensitivity ?? 1, sigma), p.num_queries ?? 1),
      defined(p.epsilon),
      defined(p.delta),
    ),
  'laplace.calibrate_b': (p) =>
    leastScale(
      (b) => repeatedEvent(laplace(b / defined(p.sensitivity)), defined(p.num_queries)),
      defined(p.epsilon),
      defined(p.delta),
    ),
  'discrete_laplace.calibrate_a': (p) =>
    1 /
    leastScale(
      (scale) =>
        repeatedEvent(
          onGrid('core/discrete-laplace', { scale }, defined(p.sensitivity)),
          defined(p.num_queries),
        ),
      defined(p.epsilon),
      defined(p.delta),
    ),
  'discrete_gaussian.calibrate_sigma': (p) =>
    leastWith((sigma) => discreteGaussianLossDistribution(sigma, defined(p.sensitivity)), p),
  // What the published noise costs: its search ended within 0.01 of the target.
  'dpsgd.calibrate_sigma': (p, { accountant, expected }) => {
    const sigma = Number(expected);
    const steps = p.steps ?? defined(p.epochs) / defined(p.sample_rate);
    if (accountant === 'gdp')
      return epsilonBy(gdp, limitOf(defined(p.sample_rate), sigma, steps), defined(p.delta));
    return epsilonBy(
      accountant === 'rdp' ? rdp : pld,
      sgd(defined(p.sample_rate), sigma, steps),
      defined(p.delta),
    );
  },
  'dpsgd.calibrate_steps': (p) =>
    calibrate({
      make: (steps) => sgd(defined(p.q), defined(p.sigma), steps),
      target: { epsilon: defined(p.epsilon), delta: defined(p.delta) },
      adjacency,
      direction: 'smaller-is-private',
      integer: true,
    }).value,
  'rdp.poisson_subsampled_gaussian': (p, { orders: alphas }) =>
    orders(sgd(defined(p.q), defined(p.sigma), defined(p.steps)), alphas as number[]),
  'rdp.poisson_gaussian.logA': (p) =>
    orders(sgd(defined(p.q), defined(p.sigma), 1), [p.alpha])[0] * (defined(p.alpha) - 1),
  'rdp.exponential_mechanism': (p, { orders: alphas }) =>
    orders(exponential(defined(p.epsilon)), alphas as number[]),
  'rdp.randomized_response': (p, { orders: alphas, adjacency: under }) =>
    orders(
      response(defined(p.p), defined(p.k)),
      alphas as unknown[],
      under === 'REPLACE_ONE' ? 'replace-one' : 'zero-out',
    ),
  'rdp.repeat_and_select': (p) =>
    negativeBinomialSelection(resolveEvent(pure(1), 'rdp', { adjacency }), {
      mean: defined(p.mean),
      shape: defined(p.shape),
    })(defined(p.order)),
  // The value is that of the closed form; `rdp` itself makes a little more of every order.
  'conversion.rdp_to_epsilon': (p) =>
    renyiEpsilon(
      resolveEvent(gaussian(defined(p.sigma)), 'rdp', { adjacency }),
      defined(p.delta),
      'closed-form',
    ).value,
  'conversion.zcdp_to_delta': (p) => deltaBy(zcdp, concentrated(defined(p.rho)), defined(p.epsilon)),
  'conversion.zcdp_to_epsilon': (p) => epsilonBy(zcdp, concentrated(defined(p.rho)), defined(p.delta)),
  'conversion.zcdp.cdp_delta': (_, { args }) =>
    deltaBy(zcdp, concentrated((args as number[])[0]), (args as number[])[1]),
  'conversion.zcdp.cdp_eps': (_, { args }) =>
    epsilonBy(zcdp, concentrated((args as number[])[0]), (args as number[])[1]),
  'conversion.zcdp.cdp_rho': (_, { args }) =>
    calibrator([zcdp])({
      make: concentrated,
      target: { epsilon: (args as number[])[0], delta: (args as number[])[1] },
      adjacency,
      direction: 'smaller-is-private',
    }).value,
  'dpsgd.epsilon.rdp': (p) =>
    epsilonBy(
      rdp,
      p.steps === undefined
        ? trained(p, p.arbitrary === 1)
        : sgd(p.q ?? defined(p.batch_size) / defined(p.n), defined(p.sigma), p.steps),
      defined(p.delta),
    ),
  'dpsgd.epsilon.pld': (p) => {
    if (p.steps !== undefined)
      return epsilonBy(fine, sgd(defined(p.q), defined(p.sigma), p.steps), defined(p.delta));
    if (p.n !== undefined) return epsilonBy(fine, trained(p, p.arbitrary === 1), defined(p.delta));
    const sigma = defined(p.sigma) / (p.microbatching ? 2 : 1);
    return epsilonBy(
      fine,
      p.q ? sgd(p.q, sigma, defined(p.epochs) / p.q) : gaussians(sigma, Math.ceil(defined(p.epochs))),
      defined(p.delta),
    );
  },
  'dpsgd.epsilon.prv_upper': (p) =>
    pld.epsilon(sgd(defined(p.q), defined(p.sigma), defined(p.steps)), {
      adjacency,
      delta: defined(p.delta),
    }),
  'dpsgd.epsilon.gdp_clt': (p) =>
    epsilonBy(gdp, limitOf(defined(p.q), defined(p.sigma), defined(p.steps)), defined(p.delta)),
  'dpsgd.delta.add_remove': (p) =>
    deltaBy(fine, sgd(defined(p.q), defined(p.sigma), defined(p.ncomp)), defined(p.target_eps)),
  'dpsgd.delta.substitute': (p) =>
    deltaBy(
      fine,
      sgd(defined(p.q), defined(p.sigma), defined(p.ncomp)),
      defined(p.target_eps),
      'replace-one',
    ),
  'dpsgd.epsilon.add_remove': (p) =>
    epsilonBy(fine, sgd(defined(p.q), defined(p.sigma), defined(p.ncomp)), defined(p.target_delta)),
  'dpsgd.epsilon.substitute': (p) =>
    epsilonBy(
      fine,
      sgd(defined(p.q), defined(p.sigma), defined(p.ncomp)),
      defined(p.target_delta),
      'replace-one',
    ),
  'group_privacy.epsilon': (p, { variant }) => {
    const one = trained(p, String(variant).startsWith('arbitrary'));
    const query = { adjacency, delta: defined(p.user_delta) } as const;
    const size = defined(p.max_examples_per_user);
    if (variant === 'poisson') return groupEpsilon(rdp, one, { ...query, size }).upper;
    return epsilonBy(
      String(variant).endsWith('PLD') ? gdp : rdp,
      groupEvent(size, one),
      defined(p.user_delta),
    );
  },
  'composition.kov_homogeneous': (p) => {
    const { upper } = optimal.epsilon(
      repeatedEvent(approximate(defined(p.epsilon), defined(p.delta)), defined(p.k)),
      { adjacency, delta: defined(p.total_delta) },
    );
    // The published formula knows the whole curve only at ε·(k − 2i).
    return upper === Infinity
      ? Infinity
      : defined(p.epsilon) * (defined(p.k) - 2 * Math.floor((defined(p.k) - upper / defined(p.epsilon)) / 2));
  },
  'composition.kov_inverse': (p) =>
    calibrate({
      make: (epsilon) => repeatedEvent(approximate(epsilon, defined(p.delta)), defined(p.k)),
      target: { epsilon: defined(p.total_epsilon), delta: defined(p.total_delta) },
      adjacency,
      direction: 'smaller-is-private',
    }).value,
  'pld.composition.delta': (p, { mechs }) => deltaBy(best, failing(mechs), defined(p.epsilon)),
  'pld.gaussian_composed.delta': (p) =>
    deltaBy(fine, gaussians(defined(p.sigma), defined(p.count)), defined(p.epsilon)),
  'pld.subsampled_gaussian_composed.delta': (p) =>
    deltaBy(fine, sgd(defined(p.q), defined(p.sigma), defined(p.count)), defined(p.epsilon)),
  'pld.laplace_composed.epsilon': (p, { b }) =>
    epsilonBy(fine, composedEvent((b as number[]).map(laplace)), Number(p.delta)),
  'pld.subsampled_laplace_composed.epsilon': (p) =>
    epsilonBy(
      fine,
      repeatedEvent(poisson(defined(p.q), laplace(defined(p.b))), defined(p.count)),
      defined(p.delta),
    ),
  'pld.mixture_gaussian_composed.epsilon': (p, { a, b }) => {
    type Part = {
      readonly sigma: number;
      readonly sens: number[];
      readonly probs: number[];
      readonly count: number;
    };
    return epsilonBy(
      fine,
      composedEvent(
        [a, b].map((part) => {
          const { sigma, sens, probs, count } = part as Part;
          return repeatedEvent(mixture(sigma, sens, probs), count);
        }),
      ),
      defined(p.delta),
    );
  },
  'pld.pmf.epsilon_for_delta': (p, { pmf }) => {
    const losses = Object.entries(pmf as Readonly<Record<string, number>>).map(([k, mass]) => ({
      loss: Number(k) * defined(p.grid),
      mass,
    }));
    const { kind, event } = lossKind(losses, defined(p.infinity_mass));
    return pld.epsilon(event, { adjacency, delta: defined(p.delta), kinds: [kind] }).upper;
  },
  'fdp.tpr': (p, { mechs }) =>
    detectionRate(
      profileOf(best, mechs === undefined ? gaussians(defined(p.sigma), defined(p.count)) : failing(mechs), {
        adjacency,
      }),
      defined(p.fpr),
    ).upper,
  'fdp.gaussian.tpr': (p) => gaussianDetectionRate(defined(p.mu), defined(p.fpr)).upper,
  'fdp.rr.gdp_mu': (p) =>
    gaussianDomination(profileOf(best, response(defined(p.p), defined(p.k)), { adjacency: 'replace-one' }))
      .upper,
  'tree.rdp': (p) => orders(treeEvent(defined(p.sigma), defined(p.steps)), [p.alpha])[0],
  'tree.epsilon_rdp': (p) => epsilonBy(rdp, treeEvent(defined(p.sigma), defined(p.steps)), defined(p.delta)),
  'gaussian.composed_epsilon': (p) =>
    epsilonBy(gdp, gaussians(defined(p.sigma), defined(p.count)), defined(p.delta)),
  'consensus.epsilon': (p, { mechanism, composition }) => {
    if (mechanism === 'gaussian')
      return epsilonBy(gdp, gaussians(defined(p.sigma), defined(p.count)), defined(p.delta));
    if (mechanism === 'laplace')
      return epsilonBy(fine, repeatedEvent(laplace(defined(p.b)), defined(p.count)), defined(p.delta));
    if (composition !== undefined)
      return epsilonBy(
        fine,
        composedEvent([sgd(0.005, 0.8, 100), gaussians(8, 200), repeatedEvent(laplace(10), 100)]),
        defined(p.delta),
      );
    return epsilonBy(fine, sgd(defined(p.q), defined(p.sigma), defined(p.steps)), defined(p.delta));
  },
  'wor.rdp': (p) =>
    orders(batchOf(10_000, defined(p.q) * 10_000, defined(p.sigma)), [p.alpha], 'replace-one')[0],
  'wor.epsilon_rdp': (p) =>
    epsilonBy(
      rdp,
      repeatedEvent(batchOf(defined(p.n), defined(p.batch), defined(p.sigma)), defined(p.steps)),
      defined(p.delta),
      'replace-one',
    ),
  'truncated_poisson.epsilon_pld': (p) =>
    epsilonBy(best, repeatedEvent(truncatedDraw(p), defined(p.steps)), defined(p.delta), 'zero-out'),
  'pld.truncated_poisson_gaussian.epsilon': (p, { a, b }) =>
    epsilonBy(
      best,
      composedEvent(
        [a, b].map((part) => repeatedEvent(truncatedDraw(part as Numbers), defined((part as Numbers).count))),
      ),
      defined(p.delta),
      'zero-out',
    ),
  'random_allocation.epsilon': (p) =>
    epsilonBy(
      best,
      repeatedEvent(
        sampledEvent({ kind: 'core/random-allocation', steps: defined(p.steps) }, gaussian(defined(p.sigma))),
        Number((p as Raw)['epochs']),
      ),
      defined(p.delta),
    ),
  // A count whose records move it by 2, with Laplace noise of scale 1, on 10 of 100.
  'amplification.population': () =>
    epsilonBy(
      best,
      sampledEvent(
        { kind: 'core/fixed-size', n: 100, size: 10, replacement: false },
        plain({ kind: 'core/laplace', v: 1, scale: 1, sensitivity: { 'replace-one': 2 } }),
      ),
      0,
      'replace-one',
    ),
};
