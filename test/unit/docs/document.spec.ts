import { operationIdOf } from '../../../src/common/http/server/http-operations.js';

describe('operation ids', () => {
  it.each([
    ['CampaignsController', 'list', 'listCampaigns'],
    ['CampaignsController', 'get', 'getCampaign'],
    ['CampaignBatchController', 'run', 'batchCampaigns'],
    ['TargetingCriteriaBatchController', 'run', 'batchTargetingCriteria'],
    ['CuratedCategoriesController', 'get', 'getCuratedCategory'],
    ['AuthenticatedUserAccessController', 'get', 'getAuthenticatedUserAccess'],
    ['AccountMediaController', 'delete', 'deleteAccountMedia'],
    ['AccountSelfController', 'update', 'updateAccount'],
    ['SandboxFeaturesController', 'add', 'addFeatures'],
    ['OAuthController', 'requestToken', 'requestToken'],
    ['OAuth1Controller', 'invalidate[0]', 'invalidateOAuth1'],
  ])('%s %s: %s', (controller, handler, id) => {
    expect(operationIdOf(controller, handler)).toBe(id);
  });
});
