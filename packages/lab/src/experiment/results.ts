import type { AdaptiveAccount } from '../run/adaptive-account.js';
import type { TotalHolds } from '../run/total-statement.js';
import type { Fact, Interval, PluginKind, PrivacyEvent, TrustModel } from '@lethe/core';
import type { Profile } from '../profile/profile.js';
import type { MeanResult } from './mean-results.js';
import type { BudgetSpec, Evaluation, Release } from './schema.js';

/** One run of an evaluation. Everything in it is a simulation: it was computed with the private data in hand. */
export interface SimulatedRun {
  readonly seed: number;
  readonly excessRisk: number;
}
/** Five numbers and a mean over the seeds. */
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
  /** Whom the owners of the records trust. Absent where it is the curator. */
  readonly trust?: TrustModel;
  /** Plan of the optimizer, as JSON: that of the first seed, where each has its own. */
  readonly plan: {
    readonly event: PrivacyEvent;
    readonly utility: { readonly bound: number; readonly source: string } | null;
    readonly gradients: number;
  };
  /**
   * ε of the ledger's event at the budget's δ, the largest over the seeds, by the tightest accountant.
   * Counterfactual: no privacy was given.
   */
  readonly accounted: Interval;
  /** δ at every ε, of the settings that the findings speak of; `null` where no accountant can tell. */
  readonly profile?: Profile | null;
  /** The ledger's event equals the plan's, for every seed. */
  readonly ledgerMatchesPlan: boolean;
  /** It released without noise: a baseline without any privacy. Absent where it did not. */
  readonly unprotected?: true;
  readonly runs: readonly SimulatedRun[];
  readonly excess: Spread;
  /** Excess risk of the start, mean over the seeds, where it is not the same in all settings. */
  readonly startExcess?: number;
  /** The mean beside what is known of it. Absent where nothing is. */
  readonly bracket?: Bracket;
}

/** A measured mean between bounds on it; one that is unknown, or not about this setting, is `null`. */
export interface Bracket {
  /** Counts where its height is proved, for this very problem. */
  readonly lower: number | null;
  /** The plan's. */
  readonly upper: number | null;
  /** `unclear`: outside, but by no more than chance does. */
  readonly verdict: 'within' | 'unclear' | 'below' | 'above';
}

/** Height of a lower bound at one size and budget. */
export interface BoundPoint {
  readonly n: number;
  readonly epsilon: number;
  readonly value: number;
  readonly explicit: boolean;
}

/** What a theorem says of the risk without its constant, over the sizes and budgets of a problem. */
export interface RateCurve {
  readonly label: string;
  readonly name: string;
  readonly title: string;
  readonly source: string;
  /** What the rate was multiplied by. */
  readonly factor: number;
  readonly points: readonly { readonly n: number; readonly epsilon: number; readonly value: number }[];
}

/** A measured mean beside a number that was computed beforehand. */
export interface MeasuredBeside {
  readonly measured: number;
  readonly standardError: number;
  readonly expected: number;
  /** Measured over expected, and its standard error. */
  readonly ratio: number;
  readonly ratioError: number;
  /** How far apart they are, as a standard normal score; `null` where the runs do not vary. */
  readonly score: number | null;
  /** `null` where one run cannot tell. */
  readonly agrees: boolean | null;
  /** Whether it tells little that nothing disagrees: few runs, or a large standard error. */
  readonly isWide: boolean;
}
/** A cell beside what the experiment expects of it. */
export interface ComparedCell {
  readonly label: string;
  readonly n: number;
  readonly budget: BudgetSpec;
  readonly source: string;
  readonly excess: MeasuredBeside | null;
  readonly plan: readonly PlannedBeside[];
}
/**
 * A number of a plan, by its place in it, beside what it should
 * be; `planned` is `null` where the plan has no such number.
 */
export interface PlannedBeside {
  readonly at: string;
  readonly planned: number | null;
  readonly expected: number;
  readonly ratio: number | null;
  readonly agrees: boolean;
}
/**
 * The mean of one optimizer over that of another, beside the ratio
 * of what is expected of them; `null` where a mean is not positive.
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
/** What was measured on a problem beside what was expected. */
export interface Comparison {
  /** What `agrees` means, in words. */
  readonly rule: string;
  readonly cells: readonly ComparedCell[];
  readonly ratios: readonly ComparedRatio[];
  /** Nothing disagrees. */
  readonly agrees: boolean;
}

/** All that an evaluation found on one problem. */
export interface ProblemResult {
  readonly name: string;
  readonly title: string;
  readonly loss: string;
  readonly dimension: number;
  readonly featureNames: readonly string[];
  /** Records in the whole file, the population of the simulation; `null` where every seed draws its own. */
  readonly population: number | null;
  /** Declared and derived facts, with their scope. */
  readonly facts: Readonly<Record<string, Fact & { readonly why: string }>>;
  /** Non-private optimum over the domain on the whole population; `null` where every seed has its own. */
  readonly optimum: { readonly risk: number; readonly point: readonly number[] } | null;
  /** Why nobody knows an optimum to compare with: then all numbers called excess risk are risks. */
  readonly withoutOptimum?: string;
  /** Excess risk of the public starting point: what learning nothing costs. The largest, where settings differ. */
  readonly startExcess: number;
  readonly cells: readonly Cell[];
  /** Where the experiment expects something of it. */
  readonly comparison?: Comparison;
  /** Theoretical rates, where the experiment asks for some. */
  readonly rates?: readonly RateCurve[];
  readonly lowerBound: {
    readonly name: string;
    readonly statement: string;
    readonly source: string;
    readonly points: readonly BoundPoint[];
    /**
     * Of what no run on these records comes below it on average: every algorithm, or those that are zCDP at
     * the budget's ρ. Absent where it is about other records.
     */
    readonly binds?: 'every-algorithm' | 'zcdp';
  } | null;
}

/** A module of plugins that a result was made with. */
export interface PluginModule {
  /** As it is written in the experiment or on the command line. */
  readonly from: string;
  /** Of its package; `null` for a file by itself. */
  readonly name: string | null;
  readonly version: string | null;
  /** A hash of its file and of the marks of its plugins: another version has another. */
  readonly mark: string;
  readonly plugins: readonly { readonly kind: PluginKind; readonly name: string; readonly mark: string }[];
}

/** Versions a result was made with. */
export interface Environment {
  readonly lethe: string;
  readonly node: string;
  readonly platform: string;
  /** Absent where all plugins ship with Lethe. */
  readonly plugins?: readonly PluginModule[];
}

/** What an evaluation writes. */
export interface EvaluationResult {
  readonly kind: 'evaluation';
  readonly label: 'simulation: no privacy';
  readonly experiment: Evaluation;
  readonly command: string;
  readonly environment: Environment;
  readonly problems: readonly ProblemResult[];
}

/** What a release may say about itself: the model, and what it cost. No risk, no accuracy: those were not asked for. */
export interface ReleaseResult {
  readonly kind: 'release';
  readonly label: 'release' | 'simulation: no privacy';
  readonly experiment: Release;
  readonly command: string;
  readonly environment: Environment;
  readonly run: string;
  readonly model: { readonly featureNames: readonly string[]; readonly weights: readonly number[] };
  readonly plan: Cell['plan'];
  /** What this run cost. */
  readonly spent: PrivacyEvent;
  readonly certificate: Interval & { readonly delta: number; readonly adjacency: string };
  /** What the data set has spent in all, this run included. */
  /** Of the whole data set; `holds` says when its interval is true. Results of before there were filters lack it. */
  readonly total: {
    readonly event: PrivacyEvent;
    readonly interval: Interval;
    readonly runs: readonly string[];
    readonly holds?: TotalHolds;
  };
  readonly ledgerMatchesPlan: boolean;
  /** Of an optimizer that stops by its answers. */
  readonly adaptive?: AdaptiveAccount;
  /** δ at every ε, of this run and of all that the data set has spent; `null` where no accountant can tell. */
  readonly profiles?: { readonly run: Profile | null; readonly total: Profile | null };
  readonly facts: ProblemResult['facts'];
}
/** One entry of `results.json`. */
export type Result = EvaluationResult | ReleaseResult | MeanResult;
