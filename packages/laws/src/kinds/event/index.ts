import type { Law } from '../../law/law.js';
import { attained } from './attained.js';
import { consistent, derived, power, renyi, replaced } from './consistent.js';
import { density } from './density.js';
import { characterised, parsed, schema, wellFormedQuestions } from './form.js';
import { lossMasses } from './loss-masses.js';
import { pair } from './pair.js';
import { pureRatio } from './pure-ratio.js';
import { scan } from './scan.js';
import { witness } from './witness.js';

/** Laws of every kind of event. */
export const eventLaws: readonly Law<'event'>[] = [
  schema,
  wellFormedQuestions,
  parsed,
  characterised,
  consistent,
  renyi,
  derived,
  replaced,
  power,
  pair,
  lossMasses,
  density,
  pureRatio,
  witness,
  attained,
  scan,
];
