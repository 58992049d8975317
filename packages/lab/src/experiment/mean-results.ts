import type { PrivacyEvent } from '@lethe/core';
import type { TargetSpec } from './mean-schema.js';
import type { Environment } from './results.js';
import type { MeanExperiment } from './schema.js';

/** A number measured by repetition, beside what is known of it beforehand. */
export interface Estimated {
  readonly value: number;
  readonly standardError: number;
  /** The plugin's claim; `null` where it has none for this law. */
  readonly bound: number | null;
  /** The truth, where the law is finite and the mean simple; otherwise `null`. */
  readonly exact: number | null;
  /** `outside`: above the bound, or away from the truth, by more than chance does. */
  readonly verdict: 'within' | 'outside';
}

/** One mean on one law, at one number of records and cost. */
export interface MeanCell {
  readonly law: string;
  readonly label: string;
  readonly trust: 'central' | 'shuffle';
  /** The swept parameter; `null` where none is. */
  readonly swept: { readonly name: string; readonly value: number } | null;
  readonly s: number;
  readonly target: TargetSpec;
  readonly event: PrivacyEvent;
  readonly repetitions: number;
  /** `‖E answer − E z‖`, from an unbiased estimate of its square: 0 where that is negative. */
  readonly bias: Estimated & { readonly squared: { readonly value: number; readonly standardError: number } };
  /** `E‖answer − E answer‖²`. */
  readonly variance: Estimated;
}

/** What is known of a law. */
export interface KnownDistribution {
  readonly name: string;
  readonly title: string;
  readonly dimension: number;
  readonly mean: number;
  readonly moments: readonly { readonly order: number; readonly root: number }[];
  readonly isFinite: boolean;
}

/** What an experiment on means writes. */
export interface MeanResult {
  readonly kind: 'mean';
  readonly label: 'simulation: no privacy';
  readonly experiment: MeanExperiment;
  readonly command: string;
  readonly environment: Environment;
  readonly laws: readonly KnownDistribution[];
  /** What `verdict` means, in words. */
  readonly rule: string;
  readonly cells: readonly MeanCell[];
}
