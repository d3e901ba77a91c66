import type { Linter } from 'eslint';

export const linearPatterns: Pick<Linter.Config, 'plugins' | 'rules'>;
export const madePatterns: { selector: string; message: string }[];
