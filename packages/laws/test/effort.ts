/** Part of the inputs and draws for subjects that are correct: all of them are left to the night. */
export const smallEffort = { effort: process.env['LETHE_EFFORT'] === 'full' ? 1 : 0.1 };
