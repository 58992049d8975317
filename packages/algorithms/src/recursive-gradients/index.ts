export { acceleratedDpSrgd } from './accelerated-dp-srgd.js';
export { recursiveGradientsOptimizers } from './optimizers.js';
export { recursiveGradients } from './paper.js';
