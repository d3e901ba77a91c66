import { Module, type DynamicModule, Injectable, type OnModuleInit } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { AudiencesModule } from '../audiences/audiences.module.js';
import { CatalogsModule } from '../catalogs/catalogs.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import type { Config } from '../config/config.js';
import { CreativesModule } from '../creatives/creatives.module.js';
import { MeasurementModule } from '../measurement/measurement.module.js';
import { AccountsPageController } from './accounts/accounts-page.controller.js';
import { OverviewPageController } from './overview/overview-page.controller.js';
import { RequestMinutes } from './journal/request-minutes.js';
import { InsideApi } from './inside/inside-api.js';
import { ManagedAccounts } from './conversions/managed-accounts.service.js';
import { ReceivedConversionsController } from './conversions/received-conversions.controller.js';
import { WorkbenchConversions } from './conversions/workbench-conversions.service.js';
import { PixelsPageController } from './pixels/pixels-page.controller.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AccountClocksController, TestClocksController } from './clocks/test-clocks.controller.js';
import { AdvanceTestClockJob } from './clocks/advance-test-clock.job.js';
import { ClocksPageController } from './clocks/clocks-page.controller.js';
import { TestClockCheckJob } from './clocks/test-clock-check.job.js';
import { TestClocksService } from './clocks/test-clocks.service.js';
import { EngagementsController } from './engagements/engagements.controller.js';
import { WorkbenchEngagements } from './engagements/workbench-engagements.service.js';
import { LeadsController } from './leads/leads.controller.js';
import { WorkbenchLeads } from './leads/workbench-leads.service.js';
import { RecentTimes } from './recent-times.js';
import { ActiveFaults } from './faults/active-faults.js';
import { FaultRetentionJob } from './faults/fault-retention.job.js';
import { FaultsController } from './faults/faults.controller.js';
import { FaultsInterceptor } from './faults/faults.interceptor.js';
import { FaultsPageController } from './faults/faults-page.controller.js';
import { FaultsService } from './faults/faults.service.js';
import { Journal } from './journal/journal.js';
import { JournalRetentionJob } from './journal/journal-retention.job.js';
import { RequestsController } from './journal/requests.controller.js';
import { RequestsPageController } from './journal/requests-page.controller.js';
import { Resending } from './journal/resending.js';
import { RequestsService } from './journal/requests.service.js';
import { AccountStates } from './snapshots/account-states.service.js';
import { DemoWorld } from './snapshots/demo-world.service.js';
import { AccountStatesController, SnapshotsController } from './snapshots/snapshots.controller.js';
import { SandboxAccounts } from './sandbox-accounts.service.js';
import { ImportReferences } from './snapshots/import-references.service.js';
import { SnapshotFilesController } from './snapshots/snapshot-files.controller.js';
import { SnapshotFiles } from './snapshots/snapshot-files.service.js';
import { SnapshotsPageController } from './snapshots/snapshots-page.controller.js';
import { SnapshotsService } from './snapshots/snapshots.service.js';
import { NamespaceContents } from './namespaces/namespace-contents.js';
import { NamespaceExpiryJob } from './namespaces/namespace-expiry.job.js';
import { NamespacesController } from './namespaces/namespaces.controller.js';
import { NamespacesPageController } from './namespace-pages/namespaces-page.controller.js';
import { NamespacesService } from './namespaces/namespaces.service.js';
import { WorkbenchApplicationsController, WorkbenchPages } from './pages/workbench-pages.js';
import { WebhooksPageController } from './webhooks/webhooks-page.controller.js';
import { ReadableAccounts, StatisticsPageController } from './statistics/statistics-page.controller.js';
import { DataSource } from 'typeorm';
import { AudiencesRemoval } from '../audiences/audiences-removal.service.js';
import { UserRemoval } from '../auth/user-removal/user-removal.service.js';
import { whenUnlocked } from '../common/db/query/retry.js';
import { Clock } from '../common/time/clock.js';
import { AccountTimes } from '../accounts/times/account-times.service.js';
import { deleteClocksOfOwner } from './clocks/test-clocks.statements.js';
import { deleteFaultsOfOwner } from './faults/faults.statements.js';
import { deleteJournalsOfDeleted, deleteRequestsAbout } from './journal/journal.statements.js';
import { expireNamespacesOfOwner } from './namespaces/namespaces.statements.js';
import {
  deleteSnapshotAbout,
  deleteSnapshotsOf,
  snapshotsAfter,
  waitForSavedSnapshots,
} from './snapshots/snapshots.records.statements.js';

/** Requests in one statement: their texts have up to 32 KiB each. Snapshots have up to 16 MiB, and one statement each. */
const REQUESTS = 500;
const SNAPSHOTS = 100;

/**
 * Removes what the workbench keeps of deleted users: requests and snapshots about them, and the faults, snapshots,
 * namespaces and test clocks of their applications.
 */
@Injectable()
class WorkbenchRemoval implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly removal: UserRemoval,
    private readonly audiences: AudiencesRemoval,
    private readonly times: AccountTimes,
  ) {}

  onModuleInit(): void {
    const { manager } = this.db;
    this.removal.register({
      domain: 'workbench',
      remove: async ({ id, username, name, isInvented }, signal) => {
        const person = { userId: id, names: [username, name] };
        for (let after: string | undefined = isInvented ? undefined : ''; after !== undefined;) {
          signal.throwIfAborted();
          after = await deleteRequestsAbout(manager, person, { after, limit: REQUESTS });
        }
        await deleteJournalsOfDeleted(manager, id);
        await deleteFaultsOfOwner(manager, id);
        await expireNamespacesOfOwner(manager, id, this.clock.now().toISOString());
        await this.db.transaction(async (tx) => this.times.detach(tx, await deleteClocksOfOwner(tx, id)));
      },
      removeCopies: async (user, signal) => {
        const { id, username, name, isInvented } = user;
        const { hashes } = await this.audiences.identifiersOf(user);
        await whenUnlocked(() => waitForSavedSnapshots(manager));
        const traces = { texts: [`"${id}"`, ...hashes], names: [username, name] };
        // a restore holds the snapshot that it reads
        let gone = await whenUnlocked(() => deleteSnapshotsOf(manager, id));
        if (isInvented) return gone;
        for (let ids = await snapshotsAfter(manager, '', SNAPSHOTS); ids.length > 0;) {
          for (const each of ids) {
            signal.throwIfAborted();
            gone += await whenUnlocked(() => deleteSnapshotAbout(manager, each, traces));
          }
          ids = await snapshotsAfter(manager, ids.at(-1)!, SNAPSHOTS);
        }
        return gone;
      },
    });
  }
}

const CONTROLLERS = [
  TestClocksController,
  EngagementsController,
  LeadsController,
  ReceivedConversionsController,
  FaultsController,
  NamespacesController,
  RequestsController,
  SnapshotsController,
  AccountClocksController,
  SnapshotFilesController,
  AccountStatesController,
  WorkbenchApplicationsController,
  OverviewPageController,
  AccountsPageController,
  RequestsPageController,
  FaultsPageController,
  SnapshotsPageController,
  NamespacesPageController,
  ClocksPageController,
  StatisticsPageController,
  PixelsPageController,
  WebhooksPageController,
];

const TOOLS = [
  TestClocksService,
  WorkbenchConversions,
  WorkbenchEngagements,
  WorkbenchLeads,
  RecentTimes,
  Journal,
  RequestsService,
  Resending,
  RequestMinutes,
  ActiveFaults,
  FaultsService,
  ReadableAccounts,
  ManagedAccounts,
  AccountStates,
  DemoWorld,
  SnapshotsService,
  SnapshotFiles,
  ImportReferences,
  { provide: APP_INTERCEPTOR, useClass: FaultsInterceptor },
  InsideApi,
  WorkbenchPages,
];

const JOBS = [
  SandboxAccounts,
  AdvanceTestClockJob,
  TestClockCheckJob,
  JournalRetentionJob,
  FaultRetentionJob,
  NamespaceContents,
  NamespacesService,
  NamespaceExpiryJob,
  WorkbenchRemoval,
];

/** Tools for the tests of integrators. Without them, only their jobs run, on what was stored before. */
@Module({})
export class WorkbenchModule {
  static forRoot({ workbench }: Pick<Config, 'workbench'>): DynamicModule {
    return {
      module: WorkbenchModule,
      imports: [
        AuthModule,
        AccountsModule,
        CreativesModule,
        AudiencesModule,
        MeasurementModule,
        CampaignsModule,
        CatalogsModule,
        StatisticsModule,
        WebhooksModule,
      ],
      controllers: workbench ? CONTROLLERS : [],
      providers: [...JOBS, ...(workbench ? TOOLS : [])],
    };
  }
}
