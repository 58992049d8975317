import type { Registry } from '@lethe/core';
import { blockSketch } from './block-sketch.js';
import { finiteSketch } from './finite-sketch.js';
import { fullSketch } from './full-sketch.js';
import { independentCoordinates } from './independent-coordinates.js';
import { singleCoordinate } from './single-coordinate.js';
import { tauNice } from './tau-nice.js';

export { expectedSketchedDiagonal, expectedSketchedMatrix } from './expected-sketched-matrix.js';
export { largestEigenvalueUp } from './largest-eigenvalue.js';
export { sketchConstants, type SketchConstants, type SketchGeometry } from './sketch-constants.js';
export { blockSketch, finiteSketch, fullSketch, independentCoordinates, singleCoordinate, tauNice };

/** The sketches. */
export const sketches: Registry = Object.freeze([
  fullSketch,
  singleCoordinate,
  blockSketch,
  tauNice,
  independentCoordinates,
  finiteSketch,
]);
