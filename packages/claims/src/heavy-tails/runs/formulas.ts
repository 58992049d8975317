/** `r_k`, and what else the error of a clipped mean depends on. */
export interface ClippedError {
  readonly k: number;
  readonly moment: number;
  readonly secondMoment: number;
  readonly clipNorm: number;
  /** `s`, and `σ` of one entry. */
  readonly batchSize: number;
  readonly noise: number;
  readonly dimension: number;
  readonly isPrinted?: boolean;
}

/**
 * Largest mean of `(‖x‖ − C)₊` over laws with `E‖x‖^k = r^k`: `r^k (k−1)^(k−1)/(k^k C^(k−1))`, attained by a
 * law of 0 and `kC/(k−1)`; `r − C` where that has no place in it.
 */
export const sharpBias = (k: number, moment: number, clipNorm: number): number =>
  moment >= (clipNorm * k) / (k - 1)
    ? moment - clipNorm
    : (moment * ((k - 1) / k) ** (k - 1) * (moment / clipNorm) ** (k - 1)) / k;

/** `B` and `Σ²` of Lemma 6, with the sharp bias and `min(r_2, C)²` for `r_2²`; or as printed. */
export function errorOf({
  k,
  moment,
  secondMoment,
  clipNorm,
  batchSize,
  noise,
  dimension,
  isPrinted = false,
}: ClippedError): { readonly bias: number; readonly variance: number } {
  const longest = isPrinted ? secondMoment : Math.min(secondMoment, clipNorm);
  return {
    bias: isPrinted ? moment ** k / ((k - 1) * clipNorm ** (k - 1)) : sharpBias(k, moment, clipNorm),
    variance: dimension * noise ** 2 + longest ** 2 / batchSize,
  };
}

/** Proposition 30 with `η_1 = 2η`, of which Eq. 30b prints twice the first term. */
export const acSaBound = (
  {
    rounds: T,
    eta,
    bias,
    variance,
    diameter: D,
    startDistance: R,
  }: {
    readonly rounds: number;
    readonly eta: number;
    readonly bias: number;
    readonly variance: number;
    readonly diameter: number;
    readonly startDistance: number;
  },
  isPrinted = false,
): number =>
  ((isPrinted ? 4 * D ** 2 : 2 * R ** 2) * eta) / (T * (T + 1)) +
  (4 * (variance + bias ** 2) * (T + 2)) / (3 * eta) +
  bias * D;

/** Steps and weights of Lemma 33 at `a` and `g`, which the paper does not print. */
export function stichSteps(a: number, g: number, rounds: number): readonly (readonly [number, number])[] {
  if (rounds <= g / a)
    return Array.from({ length: rounds + 1 }, (_, t) => [1 / g, (1 - a / g) ** (rounds - t)] as const);
  const half = Math.ceil(rounds / 2);
  return Array.from({ length: rounds + 1 }, (_, t) => {
    const place = (2 * g) / a + t - half;
    return t < half ? ([1 / g, 0] as const) : ([2 / (a * place), place] as const);
  });
}

/** What the recursion of Proposition 32 reads. */
export interface Recursion {
  readonly convexity: number;
  readonly distance: number;
  readonly bias: number;
  readonly variance: number;
}

/**
 * The largest `Σ ζ_t s_t/Z` with `s_t ≥ 0` and squared distances `r_t ≥ 0` that
 * `r_{t+1} = (1 − μη_t)r_t − η_t(s_t − 2B²/μ) + 2η_t²Σ²` allows from `r_0 = D²`. The value of a squared
 * distance is linear in it: going back, a step spends it on its own `s_t` or keeps it, whichever is worth
 * more.
 */
export function worstAverage(
  { convexity: mu, distance, bias, variance }: Recursion,
  steps: readonly (readonly [eta: number, zeta: number])[],
): number {
  const total = steps.reduce((sum, [, zeta]) => sum + zeta, 0);
  const { worth, constant } = steps.reduceRight(
    (later, [eta, zeta]) => {
      const best = Math.max(zeta / total / eta, later.worth);
      const gained = (2 * eta * bias ** 2) / mu + 2 * eta ** 2 * variance;
      return { worth: best * Math.max(0, 1 - mu * eta), constant: later.constant + best * gained };
    },
    { worth: 0, constant: 0 },
  );
  return constant + worth * distance ** 2;
}

/** Proposition 46 sharpened, or as printed. */
export const proximalBound = (
  {
    smoothness,
    convexity: mu,
    gap,
    rounds,
    bias,
    variance,
  }: Omit<Recursion, 'distance'> & {
    readonly smoothness: number;
    readonly gap: number;
    readonly rounds: number;
  },
  isPrinted = false,
): number => {
  const left = (1 - mu / (2 * smoothness)) ** rounds;
  const error = bias ** 2 + variance;
  return left * gap + (isPrinted ? (4 * error) / mu : ((1 - left) * error) / (2 * mu));
};

/** A phase of Algorithm 4, or Algorithm 3 alone. */
export interface Phase {
  readonly records: number;
  readonly rounds: number;
  readonly stepSize: number;
  readonly strength: number;
  /** Of the ball around its start. */
  readonly radius: number;
  readonly clipNorm: number;
  readonly noise: number;
  readonly bias: number;
  /** Of Poisson draws in each round; 1 for all records. */
  readonly samplingRate: number;
}

/** What the bound of phases reads besides them. */
export interface Reached {
  readonly dimension: number;
  readonly diameter: number;
  readonly lipschitz: number;
  readonly secondMoment: number;
  readonly uniformSecondMoment: number;
}

/**
 * Lemma 14 with sharp constants, `E‖w_T − ŵ‖²` for a phase of its own ball:
 * `(1 − λη)^T R² + (η/λ)((r + p)² + dσ²) + B²/λ²` for `λη ≤ 1`, with `r = min(C, r̃_2)`,
 * `R = min(ball, r̃_2/λ)` and the pull `p` at most `λ` times the ball and `√(r² + dσ²)`; for `λη > 1` with
 * `η²` and `λη B²/λ²`.
 */
export function movedApart(
  { records, rounds, stepSize, strength, radius, clipNorm, noise, bias, samplingRate }: Phase,
  { dimension, diameter, uniformSecondMoment }: Reached,
): number {
  const product = strength * stepSize;
  const ball = Math.min(radius, diameter);
  const longest = Math.min(clipNorm, uniformSecondMoment);
  const random = dimension * noise ** 2 + ((1 - samplingRate) * longest ** 2) / (samplingRate * records);
  const pull = Math.min(strength * ball, product <= 1 ? Math.hypot(longest, Math.sqrt(random)) : Infinity);
  return Math.min(
    ball ** 2,
    Math.max(0, 1 - product) ** rounds * Math.min(ball, uniformSecondMoment / strength) ** 2 +
      Math.max(stepSize / strength, stepSize ** 2) * ((longest + pull) ** 2 + random) +
      Math.max(1, product) * (bias / strength) ** 2,
  );
}

/**
 * The excess risk of phases from a start that is `distance` away:
 * `Σ_i [2r_2²/(λ_i n_i) + (λ_i/2)V_{i−1} + L min(V_{i−1}/(4D_i), √V_{i−1}, A_i)] + L√V_l`, with what is left
 * of the domain as `A_i`.
 */
export function phasesBound(phases: readonly Phase[], distance: number, reached: Reached): number {
  const { diameter, lipschitz, secondMoment } = reached;
  let apart = Math.min(distance, diameter) ** 2;
  let risk = 0;
  for (const phase of phases) {
    const { records, strength, radius } = phase;
    const beyond =
      radius >= diameter ? 0 : Math.min(apart / (4 * radius), Math.sqrt(apart), diameter - radius);
    risk += (2 * secondMoment ** 2) / (strength * records) + (strength * apart) / 2 + lipschitz * beyond;
    apart = movedApart(phase, reached);
  }
  return risk + lipschitz * Math.sqrt(apart);
}

/** What the phases of Theorem 41 depend on; `epsilon` is the paper's. */
export interface PhaseFacts {
  readonly k: number;
  readonly dimension: number;
  readonly epsilon: number;
  readonly distance: number;
  readonly secondMoment: number;
  readonly uniformMoment: number;
  readonly uniformDoubleMoment: number;
  readonly lipschitz: number;
  /** `L` of every record: no clip needs to be longer, and one of that length has no bias. */
  readonly longest?: number;
}

/** `η` of Theorem 41 with the constant 1: the smaller of what its last distance and its sum ask for. */
function stepSizeOf(n: number, facts: PhaseFacts): number {
  const {
    k,
    dimension: d,
    epsilon,
    distance: D,
    secondMoment,
    uniformMoment,
    uniformDoubleMoment,
    lipschitz,
  } = facts;
  const p = 1 + 1 / k;
  const share = (k - 1) / k;
  // Σ_i 2^−i = 1 − 1/n, as the moments of all phases are bounded alike.
  const averaged = uniformDoubleMoment * Math.sqrt(1 - 1 / n);
  const price = (Math.sqrt(d * Math.log(n)) / (epsilon * n)) ** share;
  const last =
    ((averaged * D * n ** 2) / lipschitz) *
    Math.min(1 / (uniformMoment * n ** (1.5 / k)), (epsilon / Math.sqrt(d)) ** share / uniformDoubleMoment) *
    (n ** -0.5 + price);
  const sum =
    D *
    n ** (-p / 2) *
    Math.min(
      1 / (secondMoment * n ** ((p - 1) / 2)),
      1 / (uniformMoment * n ** (0.5 / k)),
      1 / (averaged * n ** (p / 2) * price),
    );
  return Math.min(last, sum);
}

const biasOf = (
  k: number,
  moment: number,
  clipNorm: number,
  { isPrinted, longest }: { readonly isPrinted: boolean; readonly longest: number },
): number => {
  if (isPrinted) return moment ** k / ((k - 1) * clipNorm ** (k - 1));
  return clipNorm >= longest ? 0 : sharpBias(k, moment, clipNorm);
};

/** The phases of Algorithm 4 on `n` records, a power of two, by Theorem 41. */
export function phasesOf(
  n: number,
  facts: PhaseFacts,
  { isPrinted, mostRounds }: { readonly isPrinted: boolean; readonly mostRounds: number },
): readonly Phase[] {
  const { k, dimension: d, epsilon, distance, uniformMoment, uniformDoubleMoment: double } = facts;
  const longest = isPrinted ? Infinity : (facts.longest ?? Infinity);
  const stepSize = stepSizeOf(n, facts);
  return Array.from({ length: Math.log2(n) }, (_, at): Phase => {
    const records = n / 2 ** (at + 1);
    const eta = stepSize / 4 ** (at + 1);
    const strength = 1 / (eta * records ** (1 + 1 / k));
    const divisor = isPrinted && records === 1 ? 1 : Math.log(n);
    const clipNorm = Math.min(double * ((epsilon * records) / Math.sqrt(d * divisor)) ** (1 / k), longest);
    const once = (2 * clipNorm) / (records * epsilon);
    const needed =
      ((isPrinted ? 1 : 2) / (strength * eta)) *
      Math.log(Math.max(Math.E, (distance ** 2 * strength) / (d * once ** 2 * eta)));
    const rounds = Math.min(mostRounds, Math.ceil(needed * (1 - 1e-12)));
    return {
      records,
      rounds,
      stepSize: eta,
      strength,
      radius: (4 * uniformMoment * (2 ** (at + 1) * Math.sqrt(n)) ** (1 / k)) / strength,
      clipNorm,
      noise: once * Math.sqrt(rounds),
      bias: biasOf(k, double, clipNorm, { isPrinted, longest }),
      samplingRate: 1,
    };
  });
}
