import type { Law } from '../../law/law.js';
import { batch } from './batch.js';
import { capabilities, finite, inPlace, labels, nullRecord } from './conduct.js';
import { facts, factsAttained, lipschitz, smoothness } from './facts.js';
import { factsElsewhere } from './facts-elsewhere.js';
import { fused } from './fused.js';
import { convexity, gradient, linearForm } from './gradient.js';
import { blocks, floor, quadratic, start } from './form.js';
import { fusedWidths } from './fused-widths.js';
import { lentPoints } from './lent-points.js';
import { longGradient } from './long-gradient.js';
import { optimum } from './optimum.js';
import { outputsForm } from './outputs-form.js';
import { curvature, slopeOfValue, slopes } from './slopes.js';

/** Laws of every loss. */
export const lossLaws: readonly Law<'loss'>[] = [
  labels,
  capabilities,
  finite,
  inPlace,
  lentPoints,
  gradient,
  longGradient,
  convexity,
  slopes,
  slopeOfValue,
  curvature,
  linearForm,
  outputsForm,
  nullRecord,
  facts,
  factsElsewhere,
  factsAttained,
  lipschitz,
  smoothness,
  batch,
  fused,
  fusedWidths,
  blocks,
  start,
  floor,
  quadratic,
  optimum,
];
