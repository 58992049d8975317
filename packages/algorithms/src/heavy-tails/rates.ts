import { InvalidParameter } from '@lethe/core';
import { requirePositive } from '../common/require.js';

/** What the rates are made of. Moments are roots. What a rate does not speak of may be left out. */
export interface HeavyTailsSetting {
  /** `n`. */
  readonly records: number;
  /** `d`. */
  readonly dimension: number;
  /** `ε`: the run is `ε²/2`-zCDP. */
  readonly epsilon: number;
  /** `k ≥ 2`. @defaultValue 2 */
  readonly order?: number;
  /** `r_k`; give `r̃_k` where only that is known. */
  readonly moment?: number;
  /** `r_2`. @defaultValue `r_k`, which is at least as large */
  readonly secondMoment?: number;
  /** `r̃_{2k}`. @defaultValue `lipschitz` */
  readonly uniformDoubleMoment?: number;
  /** `γ_k^(1/k)`, of coordinates. */
  readonly coordinateMoment?: number;
  /** `γ_2^(1/2)`. @defaultValue `γ_k^(1/k)` */
  readonly coordinateSecondMoment?: number;
  /** `D`. */
  readonly diameter?: number;
  /** `β`, of the risk. */
  readonly smoothness?: number;
  /** `μ`. */
  readonly convexity?: number;
  /** `β_f`, of every record’s loss. */
  readonly worstSmoothness?: number;
  /** `L_f`, of every record’s loss. */
  readonly lipschitz?: number;
}

/** A rate of excess risk: what a theorem says, without its constant. */
export interface HeavyTailsRate {
  readonly title: string;
  readonly source: string;
  /** Whether it is met by a method, or by no method exceeded. */
  readonly side: 'upper' | 'lower';
  /** @throws {InvalidParameter} when the setting lacks what the rate speaks of; the message names it. */
  readonly value: (setting: HeavyTailsSetting) => number;
}

/** A setting of which everything is known, or asking for it throws. */
type Known = { readonly [K in keyof HeavyTailsSetting]-?: number };

const share = ({ order: k }: Known): number => (k - 1) / k;
/** `√d/(εn)`. */
const noiseLevel = ({ dimension: d, epsilon, records: n }: Known): number => Math.sqrt(d) / (epsilon * n);
/** `√d/(√ρ n)`, `ρ = ε²/2`, which is no more than 1 for the lower bounds. */
const hardness = (s: Known): number => Math.min(1, Math.SQRT2 * noiseLevel(s));
const condition = ({ smoothness, convexity }: Known): number => smoothness / convexity;
/** Where a theorem has `ln n`; at least 1, for its rate to make sense at small `n`. */
const logarithm = ({ records }: Known): number => Math.max(1, Math.log(records));

const formulas = {
  'convex-linear-time': {
    title: 'Smooth convex, one pass (noisy clipped AC-SA)',
    source: 'Theorem 31, Eq. 2, with r_2 for r_k in its last branch',
    side: 'upper',
    of(s) {
      const { records: n, order: k, moment, secondMoment, diameter: D, smoothness } = s;
      const q = noiseLevel(s);
      const acceleration = Math.min(
        (((smoothness * D) / moment) ** 0.25 * q) ** ((4 * (k - 1)) / (5 * k - 1)),
        ((smoothness * D) / secondMoment) ** ((k - 1) / (4 * k)) * q ** share(s) * n ** ((k - 1) / (8 * k)),
      );
      return (secondMoment * D) / Math.sqrt(n) + moment * D * (q ** share(s) + acceleration);
    },
  },
  'convex-optimal': {
    title: 'Convex, where smoothness does not matter',
    source: 'Theorem 4',
    side: 'upper',
    of: (s) => s.diameter * (s.secondMoment / Math.sqrt(s.records) + s.moment * noiseLevel(s) ** share(s)),
  },
  'convex-lower-bound': {
    title: 'No method does better: convex',
    source: 'Theorem 26, part 2 (Eq. 11)',
    side: 'lower',
    of: (s) => s.diameter * (s.secondMoment / Math.sqrt(s.records) + s.moment * hardness(s) ** share(s)),
  },
  'convex-coordinate-lower-bound': {
    title: 'No method does better: convex, moments of coordinates',
    source: 'Theorem 26, part 3',
    side: 'lower',
    of: (s) =>
      s.diameter *
      (s.coordinateSecondMoment * Math.sqrt(s.dimension / s.records) +
        s.coordinateMoment * Math.sqrt(s.dimension) * hardness(s) ** share(s)),
  },
  'strongly-convex-linear-time': {
    title: 'Smooth strongly convex, one pass (noisy clipped SGD)',
    source: 'Theorem 34, Eq. 3',
    side: 'upper',
    of: (s) =>
      (s.secondMoment ** 2 / s.records +
        s.moment ** 2 * (noiseLevel(s) * Math.sqrt(condition(s) * logarithm(s))) ** (2 * share(s))) /
      s.convexity,
  },
  'strongly-convex-optimal': {
    title: 'Strongly convex, condition number of order 1',
    source: 'Theorem 4',
    side: 'upper',
    of: (s) =>
      (s.secondMoment ** 2 / s.records + s.moment ** 2 * noiseLevel(s) ** (2 * share(s))) / s.convexity,
  },
  'strongly-convex-lower-bound': {
    title: 'No method does better: strongly convex',
    source: 'Theorem 28, part 2',
    side: 'lower',
    of: (s) =>
      (s.secondMoment ** 2 / s.records + s.moment ** 2 * hardness(s) ** (2 * share(s))) / s.convexity,
  },
  'strongly-convex-coordinate-lower-bound': {
    title: 'No method does better: strongly convex, moments of coordinates',
    source: 'Theorem 28, part 3, with γ_2 for the printed γ_2^(2/k)',
    side: 'lower',
    of: (s) =>
      (s.dimension *
        (s.coordinateSecondMoment ** 2 / s.records +
          s.coordinateMoment ** 2 * hardness(s) ** (2 * share(s)))) /
      s.convexity,
  },
  'proximal-pl': {
    title: 'Proximal PL, one pass (noisy clipped proximal SGD)',
    source: 'Theorem 48, with the second moment of Theorem 20',
    side: 'upper',
    of(s) {
      const length = condition(s) * logarithm(s);
      return (
        (s.moment ** 2 * (noiseLevel(s) * length) ** (2 * share(s)) +
          (s.secondMoment ** 2 * length) / s.records) /
        s.convexity
      );
    },
  },
  'non-smooth': {
    title: 'Convex, not smooth (localized noisy clipped subgradients)',
    source: 'Theorem 12; Theorem 41 has the averaged moment',
    side: 'upper',
    of: (s) =>
      s.uniformDoubleMoment *
      s.diameter *
      (1 / Math.sqrt(s.records) + (noiseLevel(s) * Math.sqrt(logarithm(s))) ** share(s)),
  },
  'non-smooth-strongly-convex': {
    title: 'Strongly convex, not smooth',
    source: 'Theorem 18; Theorem 43 has the averaged moment',
    side: 'upper',
    of: (s) =>
      (s.uniformDoubleMoment ** 2 / s.convexity) *
      (1 / s.records + (noiseLevel(s) * Math.sqrt(logarithm(s))) ** (2 * share(s))),
  },
  'klz22-convex': {
    title: 'Earlier: smooth convex, β_f ≤ 10, ε of order 1',
    source: 'Kamath, Liu and Zhang 2022, Theorem 5.4, with γ_k^(1/k) √d for r_k',
    side: 'upper',
    of: (s) => s.moment * s.diameter * Math.sqrt(s.dimension / s.records),
  },
  'klz22-strongly-convex': {
    title: 'Earlier: smooth strongly convex, as corrected',
    source: 'Eq. 6, for Kamath, Liu and Zhang 2022, Theorem 5.6, with γ_k^(1/k) √d for r_k',
    side: 'upper',
    of(s) {
      const cubed = (s.worstSmoothness / s.convexity) ** 3;
      return (
        (s.moment ** 2 / s.convexity) *
        (cubed / s.records + (noiseLevel(s) * Math.sqrt(cubed)) ** (2 * share(s)))
      );
    },
  },
  'klz22-convex-lower-bound': {
    title: 'Earlier: no method does better, convex',
    source: 'Kamath, Liu and Zhang 2022, Theorem 6.4, scaled',
    side: 'lower',
    of: (s) =>
      s.diameter *
      s.coordinateMoment *
      (Math.min(1, Math.sqrt(s.dimension / s.records)) + Math.sqrt(s.dimension) * hardness(s) ** share(s)),
  },
  'lipschitz-convex': {
    title: 'Uniformly Lipschitz: convex',
    source: 'Bassily et al. 2019; Feldman, Koren and Talwar 2020',
    side: 'upper',
    of: (s) => s.diameter * s.lipschitz * (1 / Math.sqrt(s.records) + noiseLevel(s)),
  },
  'lipschitz-strongly-convex': {
    title: 'Uniformly Lipschitz: strongly convex',
    source: 'Feldman, Koren and Talwar 2020',
    side: 'upper',
    of: (s) => (s.lipschitz ** 2 / s.convexity) * (1 / s.records + noiseLevel(s) ** 2),
  },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly title: string;
      readonly source: string;
      readonly side: HeavyTailsRate['side'];
      of(setting: Known): number;
    }
  >
>;

/** Methods and lower bounds that the paper compares. */
export type HeavyTailsSystem = keyof typeof formulas;

/**
 * Rates of excess risk by system, without constants; logarithms where the theorem has them (`ln n`, at least
 * 1).
 *
 * @see Lowy and Razaviyayn, Figure 1 and Theorems 12, 18, 26, 28, 31, 34 and 48; prior work as they cite it.
 */
export const heavyTailsRates: Readonly<Record<HeavyTailsSystem, HeavyTailsRate>> = Object.freeze(
  Object.fromEntries(
    Object.entries(formulas).map(([name, { title, source, side, of }]) => [
      name,
      Object.freeze({ title, source, side, value: (setting: HeavyTailsSetting) => of(known(setting, name)) }),
    ]),
  ) as Record<HeavyTailsSystem, HeavyTailsRate>,
);

/** What stands in for a number that is not given; it is never smaller. */
const substitutes: Readonly<Partial<Record<keyof HeavyTailsSetting, keyof HeavyTailsSetting>>> = {
  secondMoment: 'moment',
  uniformDoubleMoment: 'lipschitz',
  coordinateSecondMoment: 'coordinateMoment',
};

function known(setting: HeavyTailsSetting, system: string): Known {
  const order = setting.order ?? 2;
  if (!(order >= 2 && order < Infinity))
    throw new InvalidParameter(`order is ${order}; moments of a finite order k ≥ 2 are needed`, { order });
  return new Proxy({} as Known, {
    get(_target, name: keyof HeavyTailsSetting) {
      const value = name === 'order' ? order : (setting[name] ?? setting[substitutes[name] ?? name]);
      if (value === undefined)
        throw new InvalidParameter(`the rate '${system}' needs '${name}'; give it in the setting`, {
          system,
          missing: name,
        });
      if (!(name === 'smoothness' && value === 0)) requirePositive({ [name]: value });
      return value;
    },
  });
}
