import type { PrivacyEvent } from '@lethe/core';
import type { MeanErrorSetting } from './mean-error-schema.js';
import type { Environment } from './environment.js';
import type { MeanErrorExperiment } from './schema.js';

/** Errors of one method in one setting, between the bounds. */
export interface MeanErrorCell {
  readonly series: string;
  readonly label: string;
  readonly at: MeanErrorSetting;
  /** Cost of one answer, the first. */
  readonly event: PrivacyEvent;
  /** `√E‖answer − mean‖²`, estimated, with its standard error. */
  readonly error: { readonly value: number; readonly standardError: number; readonly median: number };
  /** Lower bound on the root mean square, over drawn records. */
  readonly lower: number;
  /** The error that is exceeded with at least this probability, and the measured share. */
  readonly tail: { readonly error: number; readonly probability: number; readonly share: number };
  /** Upper bound on the root mean square; `null` where none has explicit constants. */
  readonly upper: number | null;
  readonly verdict: 'within' | 'outside';
}

/** A row of Table 1 or 2 at one dimension. */
export interface RateRow {
  readonly table: 1 | 2;
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly dimension: number;
  readonly points: readonly { readonly n: number; readonly upper: number; readonly lower: number | null }[];
  /** Where the sparse term takes over from 1, and the dense term from the sparse one. */
  readonly corners: readonly { readonly n: number; readonly upper: number }[];
}

/** Result of an experiment on errors of means. */
export interface MeanErrorResult {
  readonly kind: 'mean-error';
  readonly label: 'simulation: no privacy';
  readonly experiment: MeanErrorExperiment;
  readonly command: string;
  readonly environment: Environment;
  /** Definition of `verdict`. */
  readonly rule: string;
  readonly bounds: readonly {
    readonly series: string;
    readonly statement: string;
    readonly source: string;
  }[];
  readonly cells: readonly MeanErrorCell[];
  readonly rates: readonly RateRow[];
}
