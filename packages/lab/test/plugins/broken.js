throw new Error('it fell over');
