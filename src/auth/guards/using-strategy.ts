/**
 * Passport keeps strategies by name for the whole process, where several applications may live: each of their guards asks
 * its own. Passport takes a strategy in place of a name and changes it for the request, so each request gets a new one.
 */
export const usingStrategy = (strategy: object) => ({
  get defaultStrategy(): string {
    return Object.create(strategy) as string;
  },
});
