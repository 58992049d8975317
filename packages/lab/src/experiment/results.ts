import type { AdaptiveAccount } from '../run/adaptive-account.js';
import type { TotalHolds } from '@lethe/accountants';
import type { Fact, Interval, PrivacyEvent, TrustModel } from '@lethe/core';
import type { Profile } from '../profile/profile.js';
import type { Environment } from './environment.js';
import type { MeanErrorResult } from './mean-error-results.js';
import type { MeanResult } from './mean-results.js';
import type { BudgetSpec, Evaluation, Release } from './schema.js';

/** How well a model predicts records that were held out. Which measures there are depends on the loss. */
export interface TestScore {
  /** Mean loss. */
  readonly loss: number;
  readonly auc?: number | undefined;
  readonly accuracy?: number | undefined;
  readonly r2?: number | undefined;
}
/** One run of an evaluation: a simulation, computed from the private data. */
export interface SimulatedRun {
  readonly seed: number;
  readonly excessRisk: number;
  /** Norm of the clip, where the run found it privately. */
  readonly clipNorm?: number | undefined;
  /** On records held out, where there are some. */
  readonly test?: TestScore | undefined;
}
/** Mean and five-number summary over the seeds. */
export interface Spread {
  readonly mean: number;
  readonly standardError: number;
  readonly minimum: number;
  readonly lowerQuartile: number;
  readonly median: number;
  readonly upperQuartile: number;
  readonly maximum: number;
}

/** One optimizer at one budget and size, over all seeds. */
export interface Cell {
  readonly optimizer: string;
  readonly label: string;
  readonly budget: BudgetSpec;
  readonly n: number;
  /** Trust model. Absent for the central one. */
  readonly trust?: TrustModel;
  /** Plan of the optimizer as JSON; that of the first seed if plans differ. */
  readonly plan: {
    readonly event: PrivacyEvent;
    readonly utility: { readonly bound: number; readonly source: string } | null;
    readonly gradients: number;
  };
  /**
   * ε of the ledger's event at the budget's δ, the largest over the seeds, by the tightest accountant.
   * Counterfactual: the run itself is not private.
   */
  readonly accounted: Interval;
  /** Privacy profile, for the settings of the headline; `null` without an answer of an accountant. */
  readonly profile?: Profile | null;
  /** The ledger's event equals the plan's, for every seed. */
  readonly ledgerMatchesPlan: boolean;
  /** The optimizer adds no noise: a baseline without privacy. */
  readonly unprotected?: true;
  readonly runs: readonly SimulatedRun[];
  readonly excess: Spread;
  /** Mean excess risk of the start, if it differs between settings. */
  readonly startExcess?: number;
  /** Bounds on the mean, if any apply. */
  readonly bracket?: Bracket;
}

/** Bounds on a measured mean; `null` for one that is unknown or does not apply. */
export interface Bracket {
  /** Applies where its constant is explicit and its class contains the problem. */
  readonly lower: number | null;
  /** The plan's. */
  readonly upper: number | null;
  /** `unclear`: outside, but not significantly. */
  readonly verdict: 'within' | 'unclear' | 'below' | 'above';
}

/** Height of a lower bound at one size and budget. */
export interface BoundPoint {
  readonly n: number;
  readonly epsilon: number;
  readonly value: number;
  readonly explicit: boolean;
}

/** A theoretical rate, without its constant, over the sizes and budgets of a problem. */
export interface RateCurve {
  readonly label: string;
  readonly name: string;
  readonly title: string;
  readonly source: string;
  /** Factor on the rate. */
  readonly factor: number;
  readonly points: readonly { readonly n: number; readonly epsilon: number; readonly value: number }[];
}

/** Comparison of a measured mean with an expected one. */
export interface MeasuredBeside {
  readonly measured: number;
  readonly standardError: number;
  readonly expected: number;
  /** Measured over expected, and its standard error. */
  readonly ratio: number;
  readonly ratioError: number;
  /** Difference as a standard normal score; `null` if the runs do not vary. */
  readonly score: number | null;
  /** `null` for a single run. */
  readonly agrees: boolean | null;
  /** Whether agreement is weak evidence: few runs, or a large standard error. */
  readonly isWide: boolean;
}
/** Comparison of a cell with the expectations of the experiment. */
export interface ComparedCell {
  readonly label: string;
  readonly n: number;
  readonly budget: BudgetSpec;
  readonly source: string;
  readonly excess: MeasuredBeside | null;
  readonly plan: readonly PlannedBeside[];
}
/**
 * Comparison of a number of a plan, by its path, with the expected one; `planned` is `null` if the plan lacks
 * it.
 */
export interface PlannedBeside {
  readonly at: string;
  readonly planned: number | null;
  readonly expected: number;
  readonly ratio: number | null;
  readonly agrees: boolean;
}
/**
 * Comparison of the ratio of two optimizers' means with the expected ratio; `null` if a mean is not positive.
 */
export interface ComparedRatio {
  readonly of: string;
  readonly to: string;
  readonly n: number;
  readonly budget: BudgetSpec;
  readonly measured: number | null;
  readonly standardError: number | null;
  readonly expected: number;
  readonly score: number | null;
  readonly agrees: boolean | null;
  readonly isWide: boolean;
}
/** Comparison of measurements on a problem with expectations. */
export interface Comparison {
  /** Definition of `agrees`. */
  readonly rule: string;
  readonly cells: readonly ComparedCell[];
  readonly ratios: readonly ComparedRatio[];
  /** Nothing disagrees. */
  readonly agrees: boolean;
}

/** The setting of a sweep with the least mean excess risk, at one size and budget. */
export interface BestOfSweep {
  /** Label of the optimizer that is swept. */
  readonly of: string;
  readonly n: number;
  readonly budget: BudgetSpec;
  /** Label of its cell. */
  readonly label: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** The number of settings that it was chosen from. */
  readonly settings: number;
  readonly mean: number;
  readonly standardError: number;
  /** The second; `isClear` where it is worse by more than two standard errors of the difference. */
  readonly next: {
    readonly label: string;
    readonly mean: number;
    readonly standardError: number;
    readonly isClear: boolean;
  } | null;
}

/** Results of an evaluation on one problem. */
export interface ProblemResult {
  readonly name: string;
  readonly title: string;
  readonly loss: string;
  readonly dimension: number;
  readonly featureNames: readonly string[];
  /** Number of records in the file, the population of the simulation; `null` if every seed draws its own. */
  readonly population: number | null;
  /** Declared and derived facts, with their scope. */
  readonly facts: Readonly<Record<string, Fact & { readonly why: string }>>;
  /** Non-private optimum over the domain on the whole population; `null` where every seed has its own. */
  readonly optimum: { readonly risk: number; readonly point: readonly number[] } | null;
  /** Reason why no optimum is known; all excess risks are then risks. */
  readonly withoutOptimum?: string;
  /** Excess risk of the public start, that is, without learning; the largest if settings differ. */
  readonly startExcess: number;
  /** Digest of the records, in any order and format; empty where every seed draws its own. */
  readonly dataDigest: string;
  /** Records held out of learning, and how the non-private optimum and the start predict them. */
  readonly heldOut?: {
    readonly records: number;
    readonly optimum: TestScore | null;
    readonly start: TestScore;
  };
  readonly cells: readonly Cell[];
  /** Absent where no parameter has a list of values. */
  readonly bestOfSweeps?: readonly BestOfSweep[];
  /** Absent without expectations. */
  readonly comparison?: Comparison;
  /** Theoretical rates that the experiment names. */
  readonly rates?: readonly RateCurve[];
  readonly lowerBound: {
    readonly name: string;
    readonly statement: string;
    readonly source: string;
    readonly points: readonly BoundPoint[];
    /**
     * Algorithms that the bound applies to: all, or those that are zCDP at the budget's ρ. Absent if the
     * bound is
     * about other records.
     */
    readonly binds?: 'every-algorithm' | 'zcdp';
  } | null;
}

/** Result of an evaluation. */
export interface EvaluationResult {
  readonly kind: 'evaluation';
  readonly label: 'simulation: no privacy';
  readonly experiment: Evaluation;
  readonly command: string;
  readonly environment: Environment;
  readonly problems: readonly ProblemResult[];
  /** Seconds of each run, by problem, cell and seed in their order; they differ when it is made again. */
  readonly seconds: readonly number[];
}

/**
 * Result of a release: the model and its cost. It has no risk and no accuracy, since no query asked for them.
 */
export interface ReleaseResult {
  readonly kind: 'release';
  readonly label: 'release' | 'simulation: no privacy';
  readonly experiment: Release;
  readonly command: string;
  readonly environment: Environment;
  readonly run: string;
  /** Records, or owners of records, by which means are divided: public numbers. */
  readonly records: number;
  readonly model: {
    /** Names of the weights. */
    readonly featureNames: readonly string[];
    /** Names of the features, each once where the model has several outputs. */
    readonly features: readonly string[];
    readonly weights: readonly number[];
  };
  readonly plan: Cell['plan'];
  /** Privacy event of this run. */
  readonly spent: PrivacyEvent;
  readonly certificate: Interval & {
    readonly delta: number;
    readonly adjacency: string;
    /** Set where all that one owner has is protected. @defaultValue one record */
    readonly unit?: 'owner';
  };
  /** Spending of the data set, this run included. */
  /**
   * Total of the data set; `holds` states when its interval is valid. Absent in results of older versions.
   */
  readonly total: {
    readonly event: PrivacyEvent;
    readonly interval: Interval;
    readonly runs: readonly string[];
    readonly holds?: TotalHolds;
  };
  readonly ledgerMatchesPlan: boolean;
  /** Account of an adaptive optimizer. */
  readonly adaptive?: AdaptiveAccount;
  /** Privacy profiles of this run and of the data set; `null` without an answer of an accountant. */
  readonly profiles?: { readonly run: Profile | null; readonly total: Profile | null };
  readonly facts: ProblemResult['facts'];
}
/** One entry of `results.json`. */
export type Result = EvaluationResult | ReleaseResult | MeanResult | MeanErrorResult;
