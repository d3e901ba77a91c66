import {
  APP_CONVERSION_TYPES,
  APP_EVENT_OS_TYPES,
  type AppConversionType,
  type AppEventOsType,
} from '../../app-measurement/app-event-tags/app-event-tag.entity.js';
import { invalid } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import {
  Bool,
  Days,
  Field,
  Int,
  list,
  listSchema,
  OneOf,
  Text,
  text,
  Timestamp,
} from '../../common/http/params/fields.js';
import { closedSet } from '../../common/values/closed-set.js';
import { appProblem } from './partner-events.rules.js';

export const PARTNER_ENGAGEMENT_TYPES = closedSet('PartnerEngagement', ['CLICK', 'VIEW']);
export type PartnerEngagementType = (typeof PARTNER_ENGAGEMENT_TYPES)[number];

const CLICK_DAYS = [1, 7, 14, 30];
const HASH = { pattern: /^[0-9a-f]{64}$/i, what: 'a hash of 64 hexadecimal digits' };
const DEVICES = { max: 20 };

const windowsProblem = ({
  click_window,
  view_through_window,
}: {
  click_window: number;
  view_through_window: number;
}) =>
  view_through_window > click_window
    ? invalid('view_through_window', 'view_through_window must not be greater than click_window', {
        value: view_through_window,
        details: `click_window is ${click_window}`,
      })
    : undefined;

/** An event in an app, as a measurement partner asks for its attribution. */
@Example({
  app_id: 'com.example.northwind.coffee',
  conversion_type: 'INSTALL',
  os_type: 'ANDROID',
  conversion_time: '{five_days_ago}',
  hashed_device_id: '49e0be2aeccfb51a8dee4c945c8a70a9ac500cf6f5cb08112575f74db9b1470d',
})
@Rule(['app_id', 'os_type'], appProblem)
@Rule(['click_window', 'view_through_window'], windowsProblem)
export class FindAttribution {
  /** The package name on Android, the App Store number on iOS. */
  @Text({ max: 255 }) app_id: string;
  /** The event. */
  @OneOf(APP_CONVERSION_TYPES) conversion_type: AppConversionType;
  /** The operating system of the app. */
  @OneOf(APP_EVENT_OS_TYPES) os_type: AppEventOsType;
  /** When it happened. */
  @Timestamp({ exact: true }) conversion_time: string;
  /** The hash of the advertising id of the device. */
  @Text({ matching: HASH, max: 64 }) hashed_device_id: string;
  /** Days before the event in which a click counts. */
  @Days(CLICK_DAYS, { optional: true, default: 14 }) click_window: number = 14;
  /** Days before the event in which a view counts; 0 for none. At most `click_window`. */
  @Days([0, ...CLICK_DAYS], { optional: true, default: 1 }) view_through_window: number = 1;
  /** Hashes of other devices of the same person; others match nobody. */
  @Field(list(text({ min: 1, max: 64 }), DEVICES), { optional: true }, listSchema({ type: 'string' }, DEVICES))
  extra_device_ids?: string[];
}

/** The same with what else the partner knows of the event. It does not change the attribution. */
@Example({
  app_id: 'com.example.northwind.coffee',
  conversion_type: 'PURCHASE',
  os_type: 'ANDROID',
  conversion_time: '{five_days_ago}',
  hashed_device_id: '49e0be2aeccfb51a8dee4c945c8a70a9ac500cf6f5cb08112575f74db9b1470d',
  price_currency: 'USD',
  price_micro: 20_000_000,
})
export class SendAppEvent extends FindAttribution {
  /** The address of the device; not stored. */
  @Text({ optional: true, max: 45, absentIfEmpty: true }) device_ip_address?: string;
  /** The level that was reached. */
  @Int({ optional: true, min: 0, max: 2 ** 31 - 1 }) level?: number;
  /** When the user engaged with an ad of somebody else. */
  @Timestamp({ exact: true, optional: true }) non_platform_engagement_time?: string;
  /** How the user engaged with it. */
  @OneOf(PARTNER_ENGAGEMENT_TYPES, { optional: true }) non_platform_engagement_type?: PartnerEngagementType;
  /** How many items were bought. */
  @Int({ optional: true, min: 1, max: 2 ** 31 - 1 }) number_items?: number;
  /** The currency of the price. */
  @Text({ optional: true, max: 3, matching: { pattern: /^[A-Za-z]{3}$/, what: 'a currency of ISO 4217' } })
  price_currency?: string;
  /** The price in micro-units. */
  @Int({ optional: true, min: 0, max: Number.MAX_SAFE_INTEGER }) price_micro?: number;
  /** Whether the user entered payment details. */
  @Bool({ optional: true }) user_payment_info?: boolean;
}
