import type { Source } from '@lethe/core';

/** An item of Ghazi, Guzmán, Kamath, Kumar and Manurangsi. */
export const ghazi = (item: string): Source => ({ id: 'ghazi-2024', item });
