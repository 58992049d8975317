export { worstPureTail } from './pure-tail.js';
export { worstRenyiTail } from './renyi-tail.js';
export { failureOfAny, meanRepetitions } from './repetitions.js';
