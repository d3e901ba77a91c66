/** The operation groups of this domain, in the order of the OpenAPI document. */
export const ACCOUNTS_TAGS: Record<string, string> = {
  Accounts: 'Ad accounts, the permissions of their users, and the history of changes.',
  'Account apps': 'The apps that an account advertises.',
  Features: 'Beta and limited features of an account.',
  'Promotable users': 'The users whose posts an account may promote.',
};
