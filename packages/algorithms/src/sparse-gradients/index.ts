export { sparseGradientsOptimizers } from './optimizers.js';
export { sparseGradients } from './paper.js';
export { outputPerturbation } from './output-perturbation.js';
export { sparseExponential } from './sparse-exponential.js';
