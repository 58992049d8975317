import type { PrivacyEvent } from '@lethe/core';
import type { TargetSpec } from './mean-schema.js';
import type { Environment } from './environment.js';
import type { MeanExperiment } from './schema.js';

/** A number measured by repetition, with its exact value and its bound. */
export interface Estimated {
  readonly value: number;
  readonly standardError: number;
  /** Bound that the plugin claims; `null` for none. */
  readonly bound: number | null;
  /** Exact value by enumeration; `null` if the law is infinite or the mean is not simple. */
  readonly exact: number | null;
  /** `outside`: significantly above the bound, or away from the exact value. */
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

/** Mean and moments of a law. */
export interface KnownDistribution {
  readonly name: string;
  readonly title: string;
  readonly dimension: number;
  readonly mean: number;
  readonly moments: readonly { readonly order: number; readonly root: number }[];
  readonly isFinite: boolean;
}

/** Result of an experiment on means. */
export interface MeanResult {
  readonly kind: 'mean';
  readonly label: 'simulation: no privacy';
  readonly experiment: MeanExperiment;
  readonly command: string;
  readonly environment: Environment;
  readonly laws: readonly KnownDistribution[];
  /** Definition of `verdict`. */
  readonly rule: string;
  readonly cells: readonly MeanCell[];
}
