export { computedSmoothness, type ComputedSmoothnessOptions } from './computed-smoothness.js';
export { lossCurvature } from './loss-curvature.js';
export { smoothnessFromMoments, type MomentsOptions } from './smoothness-from-moments.js';
export { squaredFeatures, type ReleasedMoments, type SquaredFeatures } from './squared-features.js';
