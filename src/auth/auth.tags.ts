/** The groups of operations of this domain, in the order in which the document shows them. */
export const AUTH_TAGS: Record<string, string> = {
  Authentication: 'Access tokens and bearer tokens: how an application gets and invalidates them.',
};
