import { Get } from '@nestjs/common';
import { AccountController } from '../../../src/accounts/access/account-controller.js';
import { ACCOUNT_READ } from '../../../src/accounts/accounts.permissions.js';
import { AdministrationService } from '../../../src/accounts/administration.service.js';
import { RequiresFeature } from '../../../src/accounts/access/requires-feature.js';
import { ReturnsList } from '../../../src/common/http/answers/responses.js';
import { useApp } from '../../support/app.js';
import { authorization } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { send } from '../../support/http.js';
import { useControllers } from '../../support/test-controllers.js';

useApp();

@AccountController('things', { tag: 'Accounts', reads: ACCOUNT_READ })
@RequiresFeature('CITY_TARGETING')
class ThingsController {
  @Get()
  @ReturnsList()
  list() {
    return ['city'];
  }

  @Get('special')
  @RequiresFeature('BRAND_TPN')
  @ReturnsList()
  special() {
    return ['brand'];
  }
}

const { url, get: provider } = useControllers(ThingsController);

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const get = async (path: string) => {
  const target = `/12/accounts/${advertiser.account.id}/things${path}`;
  const { status, body } = await send(url(), target, {
    method: 'GET',
    headers: { authorization: authorization(advertiser.credentials, 'GET', `${url()}${target}`) },
  });
  return { status, data: body.data, errors: body.errors };
};
const refused = (key: string) => ({
  status: 400,
  errors: [{ code: 'FEATURE_NOT_AVAILABLE', message: `The feature ${key} is not available for this account` }],
});

it('lets accounts in that have the features of controller and method', async () => {
  const features = (add: ('CITY_TARGETING' | 'BRAND_TPN')[]) =>
    provider(AdministrationService).changeFeatures(advertiser.account.id, { add });
  expect(await get('')).toMatchObject(refused('CITY_TARGETING'));
  expect(await get('/special')).toMatchObject(refused('CITY_TARGETING'));
  await features(['CITY_TARGETING']);
  expect(await get('')).toEqual({ status: 200, data: ['city'] });
  expect(await get('/special')).toMatchObject(refused('BRAND_TPN'));
  await features(['BRAND_TPN']);
  expect(await get('/special')).toEqual({ status: 200, data: ['brand'] });
});
