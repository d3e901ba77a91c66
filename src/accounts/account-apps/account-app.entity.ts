import { Column, Entity, Index } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';
import { invalid } from '../../common/errors/catalogue.js';
import { defineResource } from '../resource-definition.js';

/** The mobile operating systems in the spelling of account apps. */
export const APP_OS_TYPES = closedSet('AccountAppOsType', ['Android', 'iOS']);
export type AppOsType = (typeof APP_OS_TYPES)[number];

/** An app that an account advertises. Operators create and delete apps; a store identifier is unique in an account. */
@Entity('account_apps')
@NotInSnapshots('operators manage the apps of an account')
@Index('account_apps_identifier', ['accountId', 'appStoreIdentifier'], { unique: true, where: '"deletedAt" IS NULL' })
export class AccountApp extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  /** The package name on Android, the App Store number on iOS. */
  @IdColumn() appStoreIdentifier: string;
  @Column({ type: 'varchar' }) osType: AppOsType;
  @Column({ type: 'boolean' }) conversionTrackingEnabled: boolean;
  /** The prefix of deep links into the app; null if none is set. */
  @Column({ type: 'varchar', nullable: true }) deepLinkPattern: string | null;
}

/** Operators create and delete apps. Line items refer to apps by store identifier and do not change. */
export const ACCOUNT_APPS = defineResource<AccountApp>({
  entity: AccountApp,
  name: 'ACCOUNT_APP',
  label: 'Account App',
  parameter: 'account_app_id',
  uniques: [
    {
      index: 'account_apps_identifier',
      columns: ['appStoreIdentifier'],
      refusal: ({ appStoreIdentifier }) =>
        invalid('app_store_identifier', `The account already has an app with the identifier "${appStoreIdentifier}"`, {
          value: appStoreIdentifier,
        }),
    },
  ],
});
