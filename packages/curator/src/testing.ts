/** What tests and laws of curators need beside the public interface. */
export {
  type Exaggeration,
  type StreamLosses,
  sumsOfStreamLosses,
  verifiedDelta,
} from './curator/verification.js';
export { isPartOf } from './events/part-of.js';
