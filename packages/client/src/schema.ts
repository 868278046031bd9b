/** Generated from openapi.json by `npm run client:types`. Do not edit. */
export interface paths {
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check liveness
         * @description Answers 200 while the process runs.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check readiness
         * @description Answers 503 while the database is unreachable or the process is draining.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Open a consumer session
         * @description Creates the account at the first call and links the wallets that the identity token names. Both tokens must belong to the same person.
         */
        put: operations["openConsumerSession"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the calling account
         * @description Its wallets and memberships. A disabled account may call it too.
         */
        get: operations["getConsumer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Choose a display name
         * @description The name that members of the same organizations and operators see. It overrides the name of the ID token; null takes it back.
         */
        patch: operations["updateConsumer"];
        trace?: never;
    };
    "/v1/admin/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Open an operator session
         * @description For active operators. Answers 403 for every other account.
         */
        put: operations["openAdminSession"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the calling operator */
        get: operations["getOperator"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/wallets/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List own wallets
         * @description Wallets of the calling account, newest first.
         */
        get: operations["listConsumerWallets"];
        put?: never;
        /**
         * Create a server wallet
         * @description The wallet provider holds its key. Repeating an idempotency key with the same body returns the same wallet.
         */
        post: operations["createConsumerWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/wallets/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List own wallets
         * @description Wallets of the calling account, newest first.
         */
        get: operations["listOperatorWallets"];
        put?: never;
        /**
         * Create a server wallet
         * @description The wallet provider holds its key. Repeating an idempotency key with the same body returns the same wallet.
         */
        post: operations["createOperatorWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/wallets/{walletId}/export-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a wallet export
         * @description Names the recipient key that the private key will be sealed to, and returns the payload to sign. Cancels an earlier pending request for the wallet.
         */
        post: operations["requestConsumerExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/wallets/{walletId}/export-requests/{requestId}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a wallet export
         * @description Verifies the signature and a fresh two-factor assertion, and returns the private key sealed to the recipient key. Works once; three failures lock it for a day.
         */
        post: operations["completeConsumerExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/wallets/{walletId}/export-requests/{requestId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a wallet export
         * @description Leaves a request unchanged that has ended or is being completed.
         */
        post: operations["cancelConsumerExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/wallets/{walletId}/export-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a wallet export
         * @description Names the recipient key that the private key will be sealed to, and returns the payload to sign. Cancels an earlier pending request for the wallet.
         */
        post: operations["requestOperatorExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/wallets/{walletId}/export-requests/{requestId}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a wallet export
         * @description Verifies the signature and a fresh two-factor assertion, and returns the private key sealed to the recipient key. Works once; three failures lock it for a day.
         */
        post: operations["completeOperatorExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/wallets/{walletId}/export-requests/{requestId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a wallet export
         * @description Leaves a request unchanged that has ended or is being completed.
         */
        post: operations["cancelOperatorExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/wallets/link-challenges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a link message
         * @description Makes the message that a wallet signs to be linked to the calling account. It can be used once, within ten minutes. At most ten in ten minutes (429). Answers 503 if the operator has not configured the application's origin (CONSUMER_APP_ORIGIN).
         */
        post: operations["challengeWalletLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/wallets/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Link a wallet by signature
         * @description Links the wallet that signed the message of the challenge, as kind `external`. Answers 409 `invalid_signature` for another signature, which uses the challenge up, `wallet_conflict` if the wallet is linked to another account, and `state_conflict` for a challenge that has expired or was used. Contract wallets are asked on chain (503 while it is unavailable).
         */
        post: operations["linkWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/wallets/{walletId}/unlink": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unlink a wallet
         * @description Another account may link it then. Answers 409 while it has an active wallet role, and for server wallets. Sessions do not link it again, even if the ID token names it; link it by a signature instead.
         */
        post: operations["unlinkWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List organizations
         * @description Organizations of which the caller is an active member, newest first.
         */
        get: operations["listOrganizations"];
        put?: never;
        /**
         * Create an organization
         * @description The caller becomes its first owner.
         */
        post: operations["createOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rename an organization
         * @description For owners.
         */
        patch: operations["renameOrganization"];
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members
         * @description Active and revoked members with their wallets and wallet roles. Owners also see verified e-mail addresses.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/members/{membershipId}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a member
         * @description For owners. Ends the membership, its wallet roles and its open invitations. Answers 409 for the last owner. `notices` names approvers that policies on chain still list.
         */
        post: operations["revokeMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/pending-members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members to confirm
         * @description Owners list the people who accepted a manager's invitation and await confirmation. Confirm each with POST members/{membershipId}/confirm, or revoke the membership.
         */
        get: operations["listPendingMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/members/{membershipId}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm a pending member
         * @description An owner admits a person whom a manager invited. Answers 409 unless the membership is pending. To decline, revoke the membership.
         */
        post: operations["confirmMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/wallet-roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Assign a wallet role
         * @description For owners. Makes a wallet of a member a treasury owner or an approver. Answers 409 if the wallet already has the role or cannot hold it.
         */
        post: operations["assignWalletRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/wallet-roles/{walletRoleId}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a wallet role
         * @description For owners. A policy on chain that lists the wallet as an approver keeps listing it until an owner configures a new policy.
         */
        post: operations["revokeWalletRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/members/{membershipId}/role": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the role of a member
         * @description For owners, who are all notified. There may be several owners; the last one cannot be demoted (409), and a membership that is not active has no role (409). A former owner's `treasury_owner` wallet roles end, and so do open invitations that the new role may not send. `notices` names effects on chain that remain.
         */
        post: operations["changeMemberRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave an organization
         * @description Ends the caller's own membership, its wallet roles and its open invitations. Answers 409 for the last owner. `notices` names approvers that policies on chain still list.
         */
        post: operations["leaveOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invitations
         * @description For owners and managers, newest first.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite a member
         * @description For owners and managers; a manager may invite only employees. The invitation token is returned only here and by a replay with the same Idempotency-Key. With `email`, only an account with that verified address may accept it.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/invitations/{invitationId}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke an invitation
         * @description For owners; managers may revoke invitations of employees. Answers 409 unless open.
         */
        post: operations["revokeInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/invitations/{token}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Makes the caller a member of the organization. Where owners confirm members, the membership stays pending if a manager sent the invitation. Answers 409 for an invitation to an e-mail address that is not a verified one of the caller.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List recipients
         * @description Active and deactivated recipients, newest first.
         */
        get: operations["listRecipients"];
        put?: never;
        /**
         * Add a recipient
         * @description For owners and managers. Payments also need a policy that lists the address. `warnings` names recipients with a look-alike address.
         */
        post: operations["addRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/recipients/{recipientId}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deactivate a recipient
         * @description For owners and managers. Blocks unsent payments to it. It can be added again.
         */
        post: operations["deactivateRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/recipients/{recipientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rename a recipient
         * @description For owners and managers. The address never changes, and revisions keep the label that they were written with. Answers 409 for a deactivated recipient.
         */
        patch: operations["renameRecipient"];
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/recipients/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import recipients
         * @description For owners and managers. Adds up to 500 recipients in a body of up to 256 KiB: all of them, or none. 400 names each bad row, also one that repeats an address of the list or of an active recipient. `warnings` names look-alike addresses.
         */
        post: operations["importRecipients"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit events
         * @description For owners. The organization's own audit trail, newest first: changes by members and by the service, and what operators read or changed.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/audit-head": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the audit head
         * @description For owners. The number and hash of the last event. Keep it outside the service: an export that ends before a kept head was cut, and one without its hash was rewritten.
         */
        get: operations["getAuditHead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/exports/audit.jsonl": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the audit trail
         * @description For owners. Every event with its digest and hash, and the head as the last line. `npm run audit -- verify FILE` checks the file without the service. The export itself is an event. At most ten exports a minute.
         */
        get: operations["exportAuditTrail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/executor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the executor
         * @description For owners and managers. Its binding, gas balance and provisioning.
         */
        get: operations["getExecutor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/executor/provision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Provision the executor
         * @description For owners. A worker creates the executor; poll until `provisioning` is active or failed. Answers 409 if one exists or is being provisioned.
         */
        post: operations["provisionExecutor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/executor/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reconcile the executor
         * @description For owners and managers. Retries a failed provisioning and refreshes the gas balance. Answers 409 before the first provisioning.
         */
        post: operations["reconcileExecutor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the treasury overview
         * @description The default vault with its policy, balance and remaining allowance, as of the block that `asOfBlock` names.
         */
        get: operations["getTreasuryOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/member-funds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get own received funds
         * @description Confirmed payments of the organization to wallets of the caller.
         */
        get: operations["getMemberFunds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/vaults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List vaults
         * @description Active and archived vaults, newest first.
         */
        get: operations["listVaults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/vaults/{vaultId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a vault
         * @description A vault with its balance, what is reserved and available, its policy with all addresses, and how the policy differs from the organization's active recipients and approvers; as of the block that `asOfBlock` names.
         */
        get: operations["getVault"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/vault": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a vault
         * @description For owners. Registers a vault that already exists on chain. Until its deployment is final and verified, its status is `pending`.
         */
        post: operations["registerVault"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/vaults/{vaultId}/default": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the default vault
         * @description For owners. Answers 409 if the vault is archived, unverified or the default.
         */
        post: operations["setDefaultVault"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/vaults/{vaultId}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a vault
         * @description For owners. Answers 409 for the default vault, and while a policy change or payment of the vault is unsettled.
         */
        post: operations["archiveVault"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/vault-deployments/prepare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prepare a vault deployment
         * @description For owners with a treasury-owner wallet. Returns the transaction that this wallet signs and sends; then confirm the intent with its hash.
         */
        post: operations["prepareVaultDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/vault-deployments/{intentId}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm a vault deployment
         * @description For owners. Submits the hash of the deployment transaction. The intent settles once the transaction is final; read `state` and `failureCode`.
         */
        post: operations["confirmVaultDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/vaults/{vaultId}/policy-intents/prepare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prepare a policy
         * @description For owners. Returns the transaction that the owner of the vault signs and sends, and the changes from the current policy; then confirm the intent with its hash.
         */
        post: operations["preparePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/vaults/{vaultId}/policy-intents/{intentId}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm a policy
         * @description For owners. Submits the hash of the policy transaction. The intent settles once the transaction is final; read `state` and `failureCode`.
         */
        post: operations["confirmPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/policies/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a policy
         * @description For owners and managers. Returns the policy that a transaction on chain configured. Answers 409 until the service has read it; try again.
         */
        post: operations["syncPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/vault-deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List vault deployments
         * @description For owners and managers. Prepared deployments with their transactions, newest first: continue one that was prepared or submitted elsewhere.
         */
        get: operations["listVaultDeployments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/vaults/{vaultId}/policy-intents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List policy intents
         * @description For owners and managers. Prepared policies of a vault with their transactions, newest first: continue one that was prepared or submitted elsewhere.
         */
        get: operations["listPolicyIntents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an attachment
         * @description For any member. The body is the file itself. Name the returned id in `attachmentIds` of an expense; an upload that no expense has after 24 hours is removed. Answers 409 when the organization has used up its quota, and 415 when the bytes are not of the stated type.
         */
        post: operations["uploadAttachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/attachments/{attachmentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an attachment
         * @description For members who can see an expense with the attachment, and for its uploader.
         */
        get: operations["downloadAttachment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List expense categories
         * @description The organization's categories, for any member, in their own order.
         */
        get: operations["listCategories"];
        /**
         * Replace expense categories
         * @description For owners and managers. Replaces the whole list. Expenses keep the category of their revision, with its name at that time.
         */
        put: operations["setCategories"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/expenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List expenses
         * @description Newest first. Owners and managers see all expenses of the organization, employees their own. Filters apply to the current revision and can be combined.
         */
        get: operations["listExpenses"];
        put?: never;
        /**
         * Create an expense
         * @description For any member. Creates a draft; submit it to have it analysed.
         */
        post: operations["createExpense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/expense-counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count expenses by state
         * @description Counts the expenses that the list would show with the same filters. For any member; employees count their own.
         */
        get: operations["countExpenses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/expenses/{expenseId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an expense
         * @description With its revisions, comments, reviews and approvals. Answers 404 to an employee for an expense of another member.
         */
        get: operations["getExpense"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/expenses/{expenseId}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revise an expense
         * @description For the submitter. Adds a revision, voids earlier approvals and moves the expense back to draft. Answers 409 while its payment may still be executed.
         */
        post: operations["reviseExpense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/expenses/{expenseId}/review": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Review an expense
         * @description For owners and managers other than the submitter and the payee. Requests a revision, rejects the expense or advances it to approval.
         */
        post: operations["reviewExpense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/expenses/{expenseId}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Comment on an expense
         * @description For members who can see the expense. Does not change its state.
         */
        post: operations["commentOnExpense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/expenses/{expenseId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an expense
         * @description For the submitter. Answers 409 while its payment may still be executed.
         */
        post: operations["cancelExpense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/expenses/{expenseId}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit an expense
         * @description For the submitter. Queues the current revision for analysis. Answers 409 unless the expense is a draft or blocked.
         */
        post: operations["submitExpense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/reports/{reportId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a report
         * @description For members who can see the expense. The result of analysing a revision.
         */
        get: operations["getReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/expenses/{expenseId}/revisions/{revision}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the report of a revision
         * @description For members who can see the expense. The newest report of any of its revisions, also of an earlier one. Answers 404 for a revision that was not analysed.
         */
        get: operations["getRevisionReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/expenses/{expenseId}/approvals/prepare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prepare an approval
         * @description For approvers. Returns the typed data that the approver wallet of the caller signs. Supersedes earlier approvals of the caller for the expense.
         */
        post: operations["prepareApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/expenses/{expenseId}/approvals/submit-signature": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit an approval signature
         * @description For the approver who prepared it. Reserves one payment of exactly the signed terms and releases it unless the deployment releases payments manually.
         */
        post: operations["submitSignature"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/expenses/{expenseId}/approvals/cancel-signing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a prepared approval
         * @description For the approver who prepared it. It can no longer be signed. Answers 409 once it is signed.
         */
        post: operations["cancelSigning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/approvals/{approvalId}/invalidate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invalidate an approval
         * @description For owners and the approver. Submits the final transaction that invalidated the approval on chain. Answers 409 until that transaction is final.
         */
        post: operations["invalidateApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/expenses/{expenseId}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release a payment
         * @description Owners and managers. Queues an authorised payment, or releases a blocked or failed one again. Answers 409 while it is not authorised or no longer allowed.
         */
        post: operations["queuePayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/payments/{paymentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a payment
         * @description Includes its attempts, its receipt and its evidence bundle. Employees see payments of their own expenses.
         */
        get: operations["getPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/payments/{paymentId}/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reconcile a payment
         * @description Owners and managers. Has the engine search the chain for the outcome of a payment that may have been sent.
         */
        post: operations["reconcilePayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payments
         * @description Newest first, by the creation of their expenses. Employees see payments of their own expenses. Filters can be combined.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/unrecorded-payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List unrecorded payments
         * @description Payments that a vault of the organization has executed and for which the service has no payment: a restored backup lacks them, or somebody else used the executor's key. Newest first. For owners and managers.
         */
        get: operations["listUnrecordedPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/unrecorded-payments/{unrecordedPaymentId}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge an unrecorded payment
         * @description An owner states what the payment was. This ends the task of the owners and the severity action_required. 409 state_conflict when it is not open: somebody has acknowledged it, its payment was found, or its log is gone. Read the list again.
         */
        post: operations["acknowledgeUnrecordedPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/exports/payments.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export payments as CSV
         * @description For owners and managers. One line per confirmed payment, oldest first, streamed. The export is recorded in the audit trail.
         */
        get: operations["exportPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/exports/expenses.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export expenses as CSV
         * @description For owners and managers. One line per expense, oldest first, streamed. The formats xero and quickbooks are bills: without drafts, rejected and cancelled expenses. The export is recorded in the audit trail.
         */
        get: operations["exportExpenses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/spending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get sums of payments
         * @description For owners and managers. Sums of confirmed payments by month, recipient, category, member or vault, for charts.
         */
        get: operations["getSpending"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/vaults/{vaultId}/funding-control": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the funding control of a vault
         * @description What the funding signer may do for this vault; null before it is attached.
         */
        get: operations["getFundingControl"];
        put?: never;
        /**
         * Attach a funding signer to a vault
         * @description Owners. Binds the provider's signer and policy to this vault and reads both back.
         */
        post: operations["attachFundingControl"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/provider-signer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the funding signer
         * @description The provider's signer for the default vault, and what blocks it.
         */
        get: operations["getProviderSigner"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/provider-funding-actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List funding actions
         * @description Deposits and negative tests, newest first. The Link header leads to the next page.
         */
        get: operations["listFundingActions"];
        put?: never;
        /**
         * Request a deposit or negative test
         * @description Owners. The provider's signer deposits into the default vault, or is asked for a withdrawal that its policy must deny.
         */
        post: operations["requestFundingAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/provider-funding-actions/{actionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a funding action */
        get: operations["getFundingAction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/integrations/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get integration status
         * @description For operators. Health of every service that the deployment depends on.
         */
        get: operations["getIntegrationsStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations/{organizationId}/integration-proofs/ledger/signatures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List ledger proofs
         * @description For operators, outside production only. An organization's proofs, newest first.
         */
        get: operations["listLedgerProofs"];
        put?: never;
        /**
         * Prepare a ledger proof
         * @description For operators, outside production only. Returns the transaction or typed data that the hardware wallet signs.
         */
        post: operations["prepareLedgerProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations/{organizationId}/integration-proofs/ledger/signatures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a ledger proof
         * @description For operators, outside production only.
         */
        get: operations["getLedgerProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations/{organizationId}/integration-proofs/ledger/signatures/{id}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim a ledger proof
         * @description For operators, outside production only. Answers 409 if it is already claimed.
         */
        post: operations["claimLedgerProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations/{organizationId}/integration-proofs/ledger/signatures/{id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm a ledger proof
         * @description For the operator who claimed it, outside production only. Submits the hash; the chain decides whether the proof is confirmed or failed.
         */
        post: operations["confirmLedgerProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/support-cases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the organization's support cases
         * @description For any member: the cases that the caller opened; for owners all cases of the organization. Newest first.
         */
        get: operations["listOwnSupportCases"];
        put?: never;
        /**
         * Open a support case
         * @description For any member, optionally about an expense or payment that the caller can see. Answers 409 when too many cases are open.
         */
        post: operations["openSupportCase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/support-cases/{caseId}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a support note
         * @description For operators. Optionally changes the status of the case. The note is internal unless `visibleToCustomer` is true.
         */
        post: operations["addSupportNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/support-cases/{caseId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a support case
         * @description For the member who opened it, and for owners. With the messages of members and the answers of support; internal notes of operators are not shown.
         */
        get: operations["getOwnSupportCase"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/support-cases/{caseId}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a message to a support case
         * @description For the member who opened the case, and for owners. A message on a resolved case reopens it. Answers 409 when the case has too many messages, or when it would be reopened while too many cases are open.
         */
        post: operations["addSupportMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the admin overview
         * @description For operators. Counts across all organizations.
         */
        get: operations["getAdminOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List recent failures
         * @description For operators. The last hundred failed analysis runs, payments, attempts and unrecorded payments, newest first.
         */
        get: operations["listFailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/support-cases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List support cases
         * @description For operators. Cases of all organizations, by page, filtered and sorted.
         */
        get: operations["listSupportCases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/support-cases/{caseId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a support case
         * @description For operators. With all notes, and the messages of members.
         */
        get: operations["getSupportCase"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the service's audit events
         * @description For operators. Events that belong to no organization: sessions, operators, and reads across organizations, newest first. This read is recorded there as well.
         */
        get: operations["listServiceAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or search organizations
         * @description For operators. Newest first, or those that match `q`.
         */
        get: operations["listAdminOrganizations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations/{organizationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an organization
         * @description For operators. The newest hundred rows of each kind; `truncated` names the kinds that have more.
         */
        get: operations["getAdminOrganization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations/{organizationId}/executor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an executor
         * @description For operators. The binding and provisioning of an organization.
         */
        get: operations["getOrganizationExecutor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations/{organizationId}/executor/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reconcile an executor
         * @description For operators. Retries a failed provisioning and refreshes the gas balance. Answers 409 before the first provisioning.
         */
        post: operations["reconcileOrganizationExecutor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/live/snapshot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a live snapshot
         * @description Open tasks of the caller, recent events and service health. Returns a weak ETag. Sent as If-None-Match, it is answered with 304 and no body while nothing has changed. X-Poll-Interval gives the seconds to wait before the next poll.
         */
        get: operations["getLiveSnapshot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/live/snapshot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an operator snapshot
         * @description For operators, across organizations. Returns a weak ETag. Sent as If-None-Match, it is answered with 304 and no body while nothing has changed. X-Poll-Interval gives the seconds to wait before the next poll.
         */
        get: operations["getAdminLiveSnapshot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/push/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the push configuration
         * @description Whether push is active, and the VAPID public key to subscribe with.
         */
        get: operations["getPushConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/push/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List one's devices
         * @description Subscribed devices of the caller and those that have ended, most recently renewed first. Endpoints and keys are not returned.
         */
        get: operations["listPushSubscriptions"];
        put?: never;
        /**
         * Subscribe a device
         * @description Registers or renews this browser. At most ten devices stay active.
         */
        post: operations["subscribeToPush"];
        /**
         * Unsubscribe a device
         * @description Answers 204 without a body, even if the device was not subscribed.
         */
        delete: operations["unsubscribeFromPush"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/push/subscriptions/{subscriptionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove one of one's devices
         * @description Answers 204 without a body, even if the device was not subscribed.
         */
        delete: operations["removePushSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/notifications/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a notification
         * @description The category of a push message and the route to open.
         */
        get: operations["getNotification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/notification-preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get notification preferences
         * @description Which notifications the caller's account receives, by category and channel. Everything is on until it is switched off.
         */
        get: operations["getNotificationPreferences"];
        /**
         * Set notification preferences
         * @description Switches categories on or off for push and for e-mail, in every organization of the caller. Categories and channels that are left out keep their settings. Categories that are `required` cannot be switched off (400).
         */
        put: operations["setNotificationPreferences"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/email-unsubscriptions/{unsubscribeToken}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unsubscribe from e-mails
         * @description For the web gateway, which receives the one-click requests of mail programs (RFC 8058). Takes no access token: the token of the link may switch off e-mails of one category for one account, and nothing else. Repeating it succeeds. Answers 400 if the token is forged or expired; such requests count towards the rate limit of the address.
         */
        post: operations["unsubscribeFromEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description For owners. Newest first, without their secrets.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description For owners. Live events of these kinds are sent to the URL, signed as the Standard Webhooks specification says. The secret is in this answer only. Answers 409 when the organization has too many webhooks.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description For owners. Nothing more is sent; its secrets and deliveries are deleted.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/webhooks/{webhookId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook
         * @description For owners. Returns the new secret, in this answer only. For 24 hours messages carry signatures of both secrets.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/webhooks/{webhookId}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a disabled webhook
         * @description For owners. Events from now on are sent again. Answers 409 when it is active.
         */
        post: operations["enableWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/webhooks/{webhookId}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description For owners, once in ten seconds. Sends integration.changed with the code webhook_ping to this webhook, whatever its kinds; the deliveries show the outcome. Answers 409 when the webhook is disabled.
         */
        post: operations["pingWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries of a webhook
         * @description For owners. Newest first, for seven days after their end.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/organizations/{organizationId}/live/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream live events
         * @description Server-Sent Events of the organization. Employees receive their own events and those of services. Resume with Last-Event-ID or `cursor`.
         */
        get: operations["streamLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/live/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream operator events
         * @description For operators. Server-Sent Events of all organizations. Resume with Last-Event-ID or `cursor`.
         */
        get: operations["streamAdminLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consumer/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the configuration
         * @description Chain, explorer, token, limits and features of this deployment, for applications. Needs no token and contains no secret. It may be cached for five minutes; after that, its ETag in If-None-Match is answered with 304 if nothing has changed.
         */
        get: operations["getClientConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            error: {
                code: string;
                message: string;
                requestId: string;
            };
        };
        Wallet: {
            /** Format: uuid */
            id: string;
            address: string;
            /** @enum {string} */
            kind: "embedded" | "external" | "server";
            /** @enum {string} */
            chainType?: "ethereum" | "solana";
            /** @description Base58 address of a wallet that has no EVM address */
            nativeAddress?: string;
            purpose?: string;
            creationEnvironment?: string;
            /** @enum {string} */
            lifecycleStatus?: "provisioning" | "active" | "failed" | "disabled";
            customExportAvailable?: boolean;
        };
        WalletList: {
            wallets: components["schemas"]["Wallet"][];
            nextCursor: string | null;
        };
        LinkChallenge: {
            /** Format: uuid */
            challengeId: string;
            /** @description EIP-4361 message for `personal_sign`, to be signed exactly as it is */
            message: string;
            /**
             * Format: date-time
             * @description Ten minutes from now
             */
            expiresAt: string;
        };
        RequestedExport: {
            /** Format: uuid */
            requestId: string;
            /** Format: uuid */
            walletId: string;
            /** Format: date-time */
            expiresAt: string;
            authorizationPayload: {
                /** @enum {number} */
                version: 1;
                /** @enum {string} */
                method: "POST";
                url: string;
                headers: {
                    [key: string]: string;
                };
                body: {
                    /** @enum {string} */
                    encryption_type: "HPKE";
                    recipient_public_key: string;
                };
                /** Format: uuid */
                requestId: string;
                /** Format: date-time */
                expiresAt: string;
            };
        };
        CompletedExport: {
            /** @enum {string} */
            encryptionType: "HPKE";
            encapsulatedKey: string;
            ciphertext: string;
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            requestId: string;
        };
        Membership: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            organizationName: string;
            /** @enum {string} */
            role: "owner" | "manager" | "employee";
            /** @enum {string} */
            status: "active" | "revoked";
        };
        ConsumerSession: {
            account: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                status: "active" | "disabled";
                /** @description Name of the person: their own choice, or from their newest ID token */
                displayName?: string | null;
            };
            wallets: components["schemas"]["Wallet"][];
            memberships: components["schemas"]["Membership"][];
            /** @description Accepted invitations that an owner must confirm */
            pendingMemberships?: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                organizationId: string;
                organizationName: string;
                /** @enum {string} */
                role: "manager" | "employee";
            }[];
        };
        AdminSession: {
            account: {
                /** Format: uuid */
                id: string;
                subject: string;
                /** @enum {string} */
                status: "active" | "disabled";
            };
            /** @enum {string} */
            role: "operator";
            active: boolean;
        };
        OrganizationSummary: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            role: "owner" | "manager" | "employee";
        };
        Member: {
            /** Format: uuid */
            membershipId: string;
            /** Format: uuid */
            accountId: string;
            /** @enum {string} */
            role: "owner" | "manager" | "employee";
            /** @enum {string} */
            status: "active" | "revoked";
            /** @description Name of the person: their own choice, or from their newest ID token */
            displayName?: string | null;
            wallets: {
                /** Format: uuid */
                id: string;
                address: string;
                /** @enum {string} */
                kind: "embedded" | "external" | "server";
            }[];
            walletRoles: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                walletId: string;
                /** @enum {string} */
                role: "treasury_owner" | "approver";
                active: boolean;
            }[];
            /** @description Verified e-mail address; listed for owners only */
            email?: string | null;
        };
        RevokedMember: {
            /** Format: uuid */
            membershipId: string;
            /** Format: uuid */
            accountId: string;
            /** @enum {string} */
            role: "owner" | "manager" | "employee";
            /** @enum {string} */
            status: "active" | "revoked";
            /** @description Name of the person: their own choice, or from their newest ID token */
            displayName?: string | null;
            wallets: {
                /** Format: uuid */
                id: string;
                address: string;
                /** @enum {string} */
                kind: "embedded" | "external" | "server";
            }[];
            walletRoles: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                walletId: string;
                /** @enum {string} */
                role: "treasury_owner" | "approver";
                active: boolean;
            }[];
            notices: string[];
        };
        ChangedMember: {
            /** Format: uuid */
            membershipId: string;
            /** Format: uuid */
            accountId: string;
            /** @enum {string} */
            role: "owner" | "manager" | "employee";
            /** @enum {string} */
            status: "active" | "revoked";
            /** @description Name of the person: their own choice, or from their newest ID token */
            displayName?: string | null;
            wallets: {
                /** Format: uuid */
                id: string;
                address: string;
                /** @enum {string} */
                kind: "embedded" | "external" | "server";
            }[];
            walletRoles: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                walletId: string;
                /** @enum {string} */
                role: "treasury_owner" | "approver";
                active: boolean;
            }[];
            notices: string[];
        };
        PendingMember: {
            /** Format: uuid */
            membershipId: string;
            /** Format: uuid */
            accountId: string;
            /** @enum {string} */
            role: "manager" | "employee";
            /** @description Name of the person: their own choice, or from their newest ID token */
            displayName?: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        WalletRole: {
            /** Format: uuid */
            membershipId: string;
            /** Format: uuid */
            walletId: string;
            /** @enum {string} */
            role: "treasury_owner" | "approver";
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            address: string;
            active: boolean;
        };
        RevokedWalletRole: {
            /** Format: uuid */
            membershipId: string;
            /** Format: uuid */
            walletId: string;
            /** @enum {string} */
            role: "treasury_owner" | "approver";
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            address: string;
            active: boolean;
            notices: string[];
        };
        Invitation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** @enum {string} */
            role: "manager" | "employee";
            /** @enum {string} */
            status: "open" | "accepted" | "revoked" | "expired";
            /** Format: date-time */
            expiresAt: string;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: uuid
             * @description The member who sent the invitation
             */
            invitedByAccountId?: string;
            /** @description Name of the person: their own choice, or from their newest ID token */
            invitedByDisplayName?: string | null;
            /**
             * Format: uuid
             * @description Who accepted it; null while nobody has
             */
            acceptedByAccountId?: string | null;
            /** @description Name of the person: their own choice, or from their newest ID token */
            acceptedByDisplayName?: string | null;
            /** @description The only verified address that may accept it; null for any. Shown to owners and to the member who sent the invitation */
            email?: string | null;
        };
        NewInvitation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** @enum {string} */
            role: "manager" | "employee";
            inviteToken: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description The only verified address that may accept it; null for any. Shown to owners and to the member who sent the invitation */
            email?: string | null;
        };
        AcceptedInvitation: {
            /** Format: uuid */
            organizationId: string;
            organizationName: string;
            /** @enum {string} */
            role: "manager" | "employee";
            /**
             * @description Present when an owner must confirm the membership first
             * @enum {string}
             */
            status?: "pending";
        };
        RecipientWarning: {
            /** @enum {string} */
            code: "look_alike_address";
            /** @description The warning in words */
            message: string;
            /** @description The address that was added */
            address: string;
            /**
             * Format: uuid
             * @description The recipient that it resembles
             */
            existingRecipientId: string;
            /** @description Label of that recipient */
            existingLabel: string;
            /** @description Address of that recipient: the same first and last four characters */
            existingAddress: string;
        };
        Recipient: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            label: string;
            address: string;
            chainId: number;
            active: boolean;
            /** @description What to check before paying. Only in the answer that adds the recipient, if any */
            warnings?: components["schemas"]["RecipientWarning"][];
        };
        ImportedRecipients: {
            /** @description In the given order */
            recipients: components["schemas"]["Recipient"][];
            /** @description What to check before paying */
            warnings: components["schemas"]["RecipientWarning"][];
        };
        TrailEvent: {
            /** Format: uuid */
            id: string;
            /** @description Position in the trail: 1, 2, 3 … */
            sequence: number;
            /** @description What happened, such as `expense.created` */
            action: string;
            /**
             * @description consumer: a member. admin: an operator. system: the service itself.
             * @enum {string}
             */
            actorRealm: "consumer" | "admin" | "system";
            /** Format: uuid */
            actorAccountId: string | null;
            /** @description Name of the actor, if known. Operators have none here. */
            displayName: string | null;
            /** @description Kind of the thing that changed */
            aggregateType: string;
            /** @description Id of the thing that changed */
            aggregateId: string;
            data: {
                [key: string]: unknown;
            };
            /** @description X-Request-Id of the request */
            requestId: string | null;
            /** Format: date-time */
            occurredAt: string;
            /** @description Covers this event and every event before it in the trail */
            hash: string;
        };
        /** @description The last event of the trail. Its hash covers every event before it. */
        AuditHead: {
            sequence: number;
            hash: string;
            /**
             * Format: date-time
             * @description Time of the event
             */
            at: string;
        };
        ExecutorStatus: {
            binding: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                organizationId: string;
                /** @enum {string} */
                providerType: "agent_stack_cli" | "developer_controlled_wallet" | "local";
                address: string;
                chainId: number;
                /** @enum {string} */
                status: "active" | "disabled";
                nativeBalanceWei: string;
                /** Format: date-time */
                createdAt: string;
            } | null;
            provisioning: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                state: "requested" | "provisioning" | "active" | "failed";
                attempts: number;
                failureCode: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
            } | null;
        };
        Vault: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            label: string;
            isDefault: boolean;
            /** Format: date-time */
            archivedAt: string | null;
            /** Format: uuid */
            createdByAccountId: string | null;
            chainId: number;
            address: string;
            tokenAddress: string;
            ownerAddress: string;
            artifactHash: string;
            deploymentTransactionHash: string;
            /** @enum {string} */
            status: "pending" | "verified" | "disabled";
            /** Format: date-time */
            createdAt: string;
        };
        Policy: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            version: number;
            executorAddress: string;
            approvedCap: string;
            automaticCap: string;
            lifetimeCap: string;
            reserveFloor: string;
            spentTotal: string;
            /** Format: date-time */
            expiresAt: string;
            automaticEnabled: boolean;
            paused: boolean;
            chainTransactionHash: string;
        };
        TreasuryOverview: {
            configured: boolean;
            vault: components["schemas"]["Vault"] | null;
            policy: components["schemas"]["Policy"] | null;
            balanceBaseUnits: string | null;
            remainingAllowanceBaseUnits: string | null;
            asOfBlock: number | null;
            /** Format: date-time */
            asOfTime: string | null;
        };
        MemberFunds: {
            /** @enum {string} */
            asset: "USDC";
            chainId: number;
            tokenAddress: string;
            receivedBaseUnits: string;
            confirmedPaymentCount: number;
            /** Format: date-time */
            latestConfirmedAt: string | null;
            walletAddresses: string[];
            /** @enum {string} */
            source: "confirmed_payment_receipts";
        };
        VaultDeploymentIntent: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            label: string;
            chainId: number;
            tokenAddress: string;
            ownerAddress: string;
            organizationHash: string;
            artifactHash: string;
            constructorDataHash: string;
            transaction: {
                chainId: number;
                from: string;
                to: string | null;
                data: string;
                /** @enum {string} */
                value: "0x0";
                gas: string;
            };
            /** @enum {string} */
            state: "prepared" | "submitted" | "confirmed" | "reconciling" | "rejected" | "failed";
            transactionHash: string | null;
            failureCode: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            vault: components["schemas"]["Vault"] | null;
        };
        PolicyIntent: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            vaultId: string;
            executorAddress: string;
            approverAddresses: string[];
            recipientAddresses: string[];
            approvedCap: string;
            automaticCap: string;
            lifetimeCap: string;
            reserveFloor: string;
            /** Format: date-time */
            expiresAt: string;
            automaticEnabled: boolean;
            paused: boolean;
            changes: {
                recipients: {
                    added: string[];
                    removed: string[];
                };
                approvers: {
                    added: string[];
                    removed: string[];
                };
                executor: {
                    from: string | null;
                    to: string;
                } | null;
                approvedCap: {
                    from: string | null;
                    to: string;
                } | null;
                automaticCap: {
                    from: string | null;
                    to: string;
                } | null;
                lifetimeCap: {
                    from: string | null;
                    to: string;
                } | null;
                reserveFloor: {
                    from: string | null;
                    to: string;
                } | null;
                expiresAt: {
                    from: string | null;
                    to: string;
                } | null;
                automaticEnabled: {
                    from: boolean | null;
                    to: boolean;
                } | null;
                paused: {
                    from: boolean | null;
                    to: boolean;
                } | null;
            };
            transaction: {
                chainId: number;
                from: string;
                to: string | null;
                data: string;
                /** @enum {string} */
                value: "0x0";
                gas: string;
            };
            /** @enum {string} */
            state: "prepared" | "submitted" | "confirmed" | "reconciling" | "rejected" | "failed";
            transactionHash: string | null;
            failureCode: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            policyVersion: number | null;
        };
        VaultPolicy: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            version: number;
            executorAddress: string;
            approvedCap: string;
            automaticCap: string;
            lifetimeCap: string;
            reserveFloor: string;
            spentTotal: string;
            /** Format: date-time */
            expiresAt: string;
            automaticEnabled: boolean;
            paused: boolean;
            chainTransactionHash: string;
            /** @description Wallets whose signature the vault accepts */
            approverAddresses: string[];
            /** @description Addresses that the vault may pay */
            recipientAddresses: string[];
        };
        VaultDetail: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            label: string;
            isDefault: boolean;
            /** Format: date-time */
            archivedAt: string | null;
            /** Format: uuid */
            createdByAccountId: string | null;
            chainId: number;
            address: string;
            tokenAddress: string;
            ownerAddress: string;
            artifactHash: string;
            deploymentTransactionHash: string;
            /** @enum {string} */
            status: "pending" | "verified" | "disabled";
            /** Format: date-time */
            createdAt: string;
            /** @description What the vault holds */
            balanceBaseUnits: string;
            /** @description What payments on their way hold of it */
            reservedBaseUnits: string;
            /** @description Balance above the reserve floor and what is reserved. Null without a policy. */
            availableBaseUnits: string | null;
            /** @description What is left of the lifetime cap. Null without a policy. */
            remainingAllowanceBaseUnits: string | null;
            policy: components["schemas"]["VaultPolicy"] | null;
            /** @description How the policy differs from the organization. A policy that is prepared now adds what is missing and removes what is extra. Null without a policy. */
            differences: {
                /** @description Active recipients that the policy does not list */
                missingRecipients: string[];
                /** @description Listed by the policy, and no active recipients any more */
                extraRecipients: string[];
                /** @description Wallets with the approver role that the policy does not list */
                missingApprovers: string[];
                /** @description Listed by the policy, and without the approver role by now */
                extraApprovers: string[];
                /** @description Whether the policy names another executor than the organization's active one */
                executorDiffers: boolean;
            } | null;
            /** @description The newest block that the figures include */
            asOfBlock: number | null;
            /**
             * Format: date-time
             * @description When the chain was last read
             */
            asOfTime: string | null;
        };
        ListedVaultDeployment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            label: string;
            chainId: number;
            tokenAddress: string;
            ownerAddress: string;
            organizationHash: string;
            artifactHash: string;
            constructorDataHash: string;
            transaction: {
                chainId: number;
                from: string;
                to: string | null;
                data: string;
                /** @enum {string} */
                value: "0x0";
                gas: string;
            };
            /** @enum {string} */
            state: "prepared" | "submitted" | "confirmed" | "reconciling" | "rejected" | "failed";
            transactionHash: string | null;
            failureCode: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            vault: components["schemas"]["Vault"] | null;
            /**
             * Format: uuid
             * @description Who prepared it
             */
            createdByAccountId: string;
            /** @description Name of that member, if known */
            displayName: string | null;
            /**
             * Format: date-time
             * @description When the transaction hash was submitted
             */
            submittedAt: string | null;
        };
        ListedPolicyIntent: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            vaultId: string;
            executorAddress: string;
            approverAddresses: string[];
            recipientAddresses: string[];
            approvedCap: string;
            automaticCap: string;
            lifetimeCap: string;
            reserveFloor: string;
            /** Format: date-time */
            expiresAt: string;
            automaticEnabled: boolean;
            paused: boolean;
            changes: {
                recipients: {
                    added: string[];
                    removed: string[];
                };
                approvers: {
                    added: string[];
                    removed: string[];
                };
                executor: {
                    from: string | null;
                    to: string;
                } | null;
                approvedCap: {
                    from: string | null;
                    to: string;
                } | null;
                automaticCap: {
                    from: string | null;
                    to: string;
                } | null;
                lifetimeCap: {
                    from: string | null;
                    to: string;
                } | null;
                reserveFloor: {
                    from: string | null;
                    to: string;
                } | null;
                expiresAt: {
                    from: string | null;
                    to: string;
                } | null;
                automaticEnabled: {
                    from: boolean | null;
                    to: boolean;
                } | null;
                paused: {
                    from: boolean | null;
                    to: boolean;
                } | null;
            };
            transaction: {
                chainId: number;
                from: string;
                to: string | null;
                data: string;
                /** @enum {string} */
                value: "0x0";
                gas: string;
            };
            /** @enum {string} */
            state: "prepared" | "submitted" | "confirmed" | "reconciling" | "rejected" | "failed";
            transactionHash: string | null;
            failureCode: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            policyVersion: number | null;
            /**
             * Format: uuid
             * @description Who prepared it
             */
            createdByAccountId: string;
            /** @description Name of that member, if known */
            displayName: string | null;
            /**
             * Format: date-time
             * @description When the transaction hash was submitted
             */
            submittedAt: string | null;
        };
        Attachment: {
            /** Format: uuid */
            id: string;
            /** @description The file's name, made safe to save */
            name: string;
            /** @enum {string} */
            mediaType: "application/pdf" | "image/png" | "image/jpeg" | "image/webp" | "text/csv";
            sizeBytes: number;
            /** @description SHA-256 of the bytes, as `sha256sum` prints it */
            sha256: string;
            /** Format: date-time */
            createdAt: string;
        };
        Category: {
            code: string;
            name: string;
        };
        RevisionAttachment: {
            /** Format: uuid */
            id: string;
            /** @description The file's name, made safe to save */
            name: string;
            /** @enum {string} */
            mediaType: "application/pdf" | "image/png" | "image/jpeg" | "image/webp" | "text/csv";
            sizeBytes: number;
            /** @description SHA-256 of the bytes, as `sha256sum` prints it */
            sha256: string;
        };
        ExpenseRevision: {
            revision: number;
            /** Format: uuid */
            vaultId: string;
            purpose: string;
            /** Format: uuid */
            recipientId: string;
            recipientLabel: string;
            recipientAddress: string;
            amountBaseUnits: string;
            /** @enum {string} */
            requestedMode: "approved" | "automatic";
            /** @description In the order in which the version hash covers them */
            attachments?: components["schemas"]["RevisionAttachment"][];
            /** @description Code of the category */
            category?: string | null;
            /** @description Name of the category at that time */
            categoryName?: string | null;
            /** @description Such as an invoice number */
            reference?: string | null;
            /** Format: date */
            dueDate?: string | null;
            reason: string | null;
            versionHash: string;
            /** Format: uuid */
            authorAccountId: string;
            /** Format: date-time */
            createdAt: string;
        };
        ExpenseComment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            authorAccountId: string;
            /** @description Name of the person: their own choice, or from their newest ID token */
            displayName?: string | null;
            body: string;
            /** Format: date-time */
            createdAt: string;
        };
        ExpenseReview: {
            revision: number;
            /** @enum {string} */
            action: "request_revision" | "reject" | "advance_to_approval";
            reason: string;
            /** Format: uuid */
            accountId: string;
            /** @description Null for an account without a name */
            displayName: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        ExpenseApproval: {
            /** Format: uuid */
            approvalId: string;
            expenseRevision: number;
            /** @enum {string} */
            state: "prepared" | "signed" | "consumed" | "expired" | "superseded" | "invalidated";
            /** @description Its approver took it back before signing */
            cancelled: boolean;
            approverAddress: string;
            /** Format: uuid */
            accountId: string;
            /** @description Null for an account without a name */
            displayName: string | null;
            /** Format: date-time */
            deadline: string;
            /** Format: date-time */
            signedAt: string | null;
        };
        ListedExpense: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            submitterAccountId: string;
            /** @description Name of the person: their own choice, or from their newest ID token */
            submitterDisplayName?: string | null;
            /** Format: uuid */
            paymentId: string;
            currentRevision: number;
            /** @enum {string} */
            state: "draft" | "analysis_queued" | "analyzing" | "needs_review" | "revision_requested" | "awaiting_approval" | "approved_ready_for_payment" | "automatic_ready_for_payment" | "executing" | "reconciling" | "paid" | "rejected" | "cancelled" | "blocked";
            /** @description Why the expense is blocked; null in other states */
            blockCode: string | null;
            /** Format: uuid */
            currentReportId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            revision: components["schemas"]["ExpenseRevision"];
        };
        Expense: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            submitterAccountId: string;
            /** @description Name of the person: their own choice, or from their newest ID token */
            submitterDisplayName?: string | null;
            /** Format: uuid */
            paymentId: string;
            currentRevision: number;
            /** @enum {string} */
            state: "draft" | "analysis_queued" | "analyzing" | "needs_review" | "revision_requested" | "awaiting_approval" | "approved_ready_for_payment" | "automatic_ready_for_payment" | "executing" | "reconciling" | "paid" | "rejected" | "cancelled" | "blocked";
            /** @description Why the expense is blocked; null in other states */
            blockCode: string | null;
            /** Format: uuid */
            currentReportId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            revision: components["schemas"]["ExpenseRevision"];
            revisions: components["schemas"]["ExpenseRevision"][];
            comments: components["schemas"]["ExpenseComment"][];
            /** @description Newest first */
            reviews?: components["schemas"]["ExpenseReview"][];
            /** @description Newest first */
            approvals?: components["schemas"]["ExpenseApproval"][];
        };
        Report: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            expenseId: string;
            expenseRevision: number;
            /** Format: uuid */
            runId: string;
            version: number;
            reportHash: string;
            output: {
                summary: string;
                /** @enum {string} */
                recommendation: "approve" | "review" | "reject";
                riskScore: number;
                checks: {
                    id: string;
                    /** @enum {string} */
                    outcome: "pass" | "warn" | "fail";
                    detail: string;
                }[];
                policy: {
                    version: number | null;
                    fits: boolean;
                    reasons: string[];
                };
                analyst: {
                    kind: string;
                    name: string;
                    version: string;
                };
                /** @description Sequence and hash of the organization's last audit event before the analysis. Absent from reports of earlier versions. */
                auditHead?: {
                    sequence: number;
                    hash: string;
                };
            };
            /** Format: date-time */
            createdAt: string;
        };
        Payment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            executorBindingId: string | null;
            /** @enum {string|null} */
            executorProviderType: "agent_stack_cli" | "developer_controlled_wallet" | "local" | null;
            executorAddress: string | null;
            /** Format: uuid */
            expenseId: string;
            expenseRevision: number;
            expenseVersionHash: string;
            chainPaymentId: string;
            /** @enum {string} */
            mode: "approved" | "automatic";
            recipientAddress: string;
            tokenAddress: string;
            amountBaseUnits: string;
            policyVersion: number;
            reportHash: string;
            /** Format: uuid */
            approvalId: string | null;
            approvalDigest: string | null;
            /** Format: date-time */
            deadline: string;
            providerReference: string | null;
            transactionHash: string | null;
            /** @enum {string} */
            state: "reserved" | "queued" | "submitting" | "broadcast" | "reconciling" | "confirmed" | "blocked" | "failed";
            /** @description Why it is blocked or has failed; null in other states */
            blockCode: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ActivityItem: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            executorBindingId: string | null;
            /** @enum {string|null} */
            executorProviderType: "agent_stack_cli" | "developer_controlled_wallet" | "local" | null;
            executorAddress: string | null;
            /** Format: uuid */
            expenseId: string;
            expenseRevision: number;
            expenseVersionHash: string;
            chainPaymentId: string;
            /** @enum {string} */
            mode: "approved" | "automatic";
            recipientAddress: string;
            tokenAddress: string;
            amountBaseUnits: string;
            policyVersion: number;
            reportHash: string;
            /** Format: uuid */
            approvalId: string | null;
            approvalDigest: string | null;
            /** Format: date-time */
            deadline: string;
            providerReference: string | null;
            transactionHash: string | null;
            /** @enum {string} */
            state: "reserved" | "queued" | "submitting" | "broadcast" | "reconciling" | "confirmed" | "blocked" | "failed";
            /** @description Why it is blocked or has failed; null in other states */
            blockCode: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description The purpose of the payment's revision */
            purpose: string;
            /** @description The recipient's label in that revision */
            recipientLabel: string;
            /** @description The category code in that revision */
            category: string | null;
            /** @description The invoice number in that revision */
            reference: string | null;
            /**
             * Format: date-time
             * @description Null until the payment is confirmed
             */
            confirmedAt: string | null;
        };
        PaymentAttempt: {
            /** Format: uuid */
            id: string;
            number: number;
            executorAddress: string;
            /** @description Null where the executor sends by itself */
            nonce: number | null;
            transactionHash: string | null;
            /** @enum {string} */
            state: "written" | "sent" | "mined" | "cleared";
            maxFeePerGas: string | null;
            errorCode: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        PaymentReceipt: {
            transactionHash: string;
            blockNumber: number;
            blockHash: string;
            /** @enum {string} */
            status: "success" | "reverted";
            gasUsed: string | null;
            effectiveGasPrice: string | null;
            confirmations: number;
            /** Format: date-time */
            confirmedAt: string;
        };
        PaymentEvidence: {
            version: number;
            revision: unknown;
            report: unknown;
            policy: unknown;
            approval: unknown;
            payment: unknown;
            asked: unknown;
            event: unknown;
            matches: boolean;
        };
        UnrecordedPayment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            vaultId: string;
            vaultAddress: string;
            chainPaymentId: string;
            /** @enum {string} */
            mode: "approved" | "automatic";
            recipientAddress: string;
            /** @description The organization's recipient with that address, if any */
            recipientLabel: string | null;
            amountBaseUnits: string;
            policyVersion: number;
            reportHash: string;
            expenseVersionHash: string;
            approvalDigest: string | null;
            approverAddress: string | null;
            transactionHash: string;
            blockNumber: number;
            blockHash: string;
            /** Format: date-time */
            executedAt: string;
            /**
             * @description open: nobody has acknowledged it. recorded: its payment row exists now. withdrawn: a reorganisation of the chain has removed its log.
             * @enum {string}
             */
            state: "open" | "acknowledged" | "recorded" | "withdrawn";
            /** Format: uuid */
            acknowledgedByAccountId: string | null;
            /** Format: date-time */
            acknowledgedAt: string | null;
            acknowledgementReason: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        PreparedApproval: {
            domain: {
                name: string;
                version: string;
                chainId: number;
                verifyingContract: string;
            };
            types: {
                [key: string]: {
                    name: string;
                    type: string;
                }[];
            };
            /** @enum {string} */
            primaryType: "PaymentApproval";
            message: {
                [key: string]: string;
            };
            digest: string;
            /** Format: uuid */
            approvalId: string;
            approverAddress: string;
        };
        FundingControl: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            vaultId: string;
            providerPolicyId: string;
            signerId: string;
            /** @enum {string} */
            attachmentState: "pending" | "attached" | "verified" | "revoked" | "failed";
            constraints: {
                chainId: number;
                vaultAddress: string;
                /** @enum {string} */
                allowedFunction: "deposit(uint256)";
                maxAmountBaseUnits: string;
                /** @enum {string} */
                nativeValue: "0";
                /** Format: date-time */
                expiresAt: string;
            };
            /** Format: date-time */
            expiresAt: string;
            /** Format: date-time */
            readbackAt: string | null;
            failureCode: string | null;
        };
        ProviderSigner: {
            enabled: boolean;
            signerId: string | null;
            policyId: string | null;
            chainId: number;
            vaultAddress: string;
            /** @enum {string} */
            allowedFunction: "deposit(uint256)";
            maxAmountBaseUnits: string | null;
            /** @enum {string} */
            nativeValue: "0";
            expiresAt: string | null;
            /** @enum {string} */
            signerStatus: "unavailable" | "unverified" | "attached" | "not_attached";
            /** @enum {string} */
            policyStatus: "unavailable" | "unverified" | "verified" | "invalid" | "expired";
            /** @enum {string} */
            evidenceStatus: "live-unproven";
            blockers: string[];
            walletRoles: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                walletId: string;
                address: string;
                /** @enum {string} */
                role: "treasury_owner";
                active: boolean;
            }[];
        };
        FundingAction: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            vaultId: string | null;
            /** @enum {string} */
            action: "deposit" | "withdraw_probe";
            amountBaseUnits: string;
            /** @enum {string} */
            state: "requested" | "broadcast" | "confirmed" | "denied" | "failed";
            transactionHash: string | null;
            providerReference: string | null;
            failureCode: string | null;
            createdAt: string;
            updatedAt: string;
            broadcastAt: string | null;
            confirmedAt: string | null;
            reconciledAt: string | null;
            /** @enum {string} */
            reconciliationState: "pending" | "required" | "confirmed" | "denied" | "failed";
            balanceBeforeBaseUnits: string | null;
            balanceAfterBaseUnits: string | null;
        };
        Integrations: {
            integrations: {
                id: string;
                name: string;
                provider: string;
                configured: boolean;
                /** @enum {string} */
                severity: "healthy" | "degraded" | "action_required";
                summary: string;
                /** Format: date-time */
                checkedAt: string;
            }[];
        };
        LedgerProof: {
            id: string;
            organizationId: string;
            accountId: string;
            provider: string;
            intentHash: string;
            intentJson: string;
            state: string;
            claimedByAccountId?: string;
            transactionHash?: string;
            providerRequestId?: string;
            errorCode?: string;
            evidenceJson?: string;
        };
        SupportCase: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            openedByAccountId: string;
            /** @description Name of the member who opened the case */
            displayName: string | null;
            /** Format: uuid */
            expenseId: string | null;
            /** Format: uuid */
            paymentIntentId: string | null;
            subject: string;
            /** @description 1 low, 2 medium, 3 high */
            priority: number;
            /** @enum {string} */
            status: "open" | "investigating" | "resolved" | "reopened";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        SupportNote: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            supportCaseId: string;
            /** Format: uuid */
            authorAccountId: string;
            body: string;
            /** @enum {string|null} */
            statusAfter: "open" | "investigating" | "resolved" | "reopened" | null;
            /** @description Whether members can read the note in the case */
            visibleToCustomer: boolean;
            /** Format: date-time */
            createdAt: string;
        };
        SupportMessage: {
            /** Format: uuid */
            id: string;
            /**
             * @description Operators appear as support
             * @enum {string}
             */
            author: "member" | "support";
            /**
             * Format: uuid
             * @description The member who wrote it; null for support
             */
            accountId: string | null;
            /** @description Name of the member, or "support" */
            displayName: string | null;
            body: string;
            /** Format: date-time */
            createdAt: string;
        };
        OwnSupportCase: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            openedByAccountId: string;
            /** @description Name of the member who opened the case */
            displayName: string | null;
            /** Format: uuid */
            expenseId: string | null;
            /** Format: uuid */
            paymentIntentId: string | null;
            subject: string;
            /** @description 1 low, 2 medium, 3 high */
            priority: number;
            /** @enum {string} */
            status: "open" | "investigating" | "resolved" | "reopened";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description Messages of members and answers of support, oldest first */
            messages: components["schemas"]["SupportMessage"][];
        };
        AdminSupportCase: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            openedByAccountId: string;
            /** @description Name of the member who opened the case */
            displayName: string | null;
            /** Format: uuid */
            expenseId: string | null;
            /** Format: uuid */
            paymentIntentId: string | null;
            subject: string;
            /** @description 1 low, 2 medium, 3 high */
            priority: number;
            /** @enum {string} */
            status: "open" | "investigating" | "resolved" | "reopened";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description Internal and visible notes of operators, oldest first; at most the newest 500 */
            notes: components["schemas"]["SupportNote"][];
            /** @description Messages of members, oldest first */
            messages: components["schemas"]["SupportMessage"][];
        };
        AdminOverview: {
            /** Format: date-time */
            checkedAt: string;
            organizations: number;
            activeAnalysisRuns: number;
            failedAnalysisRuns: number;
            failedPayments: number;
            reconcilingPayments: number;
            openSupportCases: number;
            /** @description Unrecorded payments that no owner has acknowledged */
            unrecordedPayments: number;
        };
        AdminOrganization: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            createdAt: string;
            memberCount: number;
            vaultCount: number;
            openSupportCases: number;
            failedPayments: number;
            /** @description Unrecorded payments that no owner has acknowledged */
            unrecordedPayments: number;
            /** @enum {string} */
            severity: "healthy" | "degraded" | "action_required";
        };
        AgentRun: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            expenseId: string;
            expenseRevision: number;
            /** @enum {string} */
            state: "queued" | "running" | "succeeded" | "failed";
            attempts: number;
            failureCode: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        AdminPaymentAttempt: {
            /** Format: uuid */
            id: string;
            number: number;
            executorAddress: string;
            /** @description Null where the executor sends by itself */
            nonce: number | null;
            transactionHash: string | null;
            /** @enum {string} */
            state: "written" | "sent" | "mined" | "cleared";
            maxFeePerGas: string | null;
            errorCode: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            paymentId: string;
        };
        AdminPaymentReceipt: {
            /** Format: uuid */
            paymentId: string;
            transactionHash: string;
            blockNumber: number;
            blockHash: string;
            /** @enum {string} */
            status: "success" | "reverted";
            gasUsed: string | null;
            effectiveGasPrice: string | null;
            confirmations: number;
            /** Format: date-time */
            confirmedAt: string;
        };
        AdminExpenseComment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            expenseId: string;
            /** Format: uuid */
            authorAccountId: string;
            /** @description Name of the person: their own choice, or from their newest ID token */
            displayName?: string | null;
            body: string;
            /** Format: date-time */
            createdAt: string;
        };
        AdminApproval: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            expenseId: string;
            expenseRevision: number;
            /** Format: uuid */
            vaultId: string;
            /** Format: uuid */
            accountId: string;
            /** @description Name of the person: their own choice, or from their newest ID token */
            displayName?: string | null;
            approverAddress: string;
            policyVersion: number;
            reportHash: string;
            expenseVersionHash: string;
            /** Format: date-time */
            deadline: string;
            digest: string;
            state: string;
            /** Format: date-time */
            cancelledAt: string | null;
            endCode: string | null;
            invalidationTransactionHash: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        AuditEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            action: string;
            /** @enum {string} */
            actorRealm: "consumer" | "admin" | "system";
            /** Format: uuid */
            actorAccountId: string | null;
            aggregateType: string;
            aggregateId: string;
            data: {
                [key: string]: unknown;
            };
            requestId: string | null;
            /** Format: date-time */
            occurredAt: string;
            hash: string;
        };
        Task: {
            id: string;
            /** Format: uuid */
            organizationId: string | null;
            /** @enum {string} */
            aggregateType: "expense" | "agent_run" | "approval" | "payment" | "support_case" | "integration" | "service";
            aggregateId: string;
            title: string;
            detail: string;
            state: string;
            /** @enum {string} */
            group: "needs_action" | "in_progress" | "recently_completed";
            /** Format: date-time */
            updatedAt: string;
            actions: {
                /** @enum {string} */
                id: "review_report" | "request_revision" | "revise_expense" | "prepare_approval" | "sign_approval" | "queue_payment" | "reconcile_payment" | "inspect_failure" | "open_support" | "update_support_case";
                label: string;
                /** @enum {string} */
                intent: "view" | "financial";
            }[];
            /** Format: uuid */
            expenseId: string | null;
            expenseRevision: number | null;
        };
        ServiceHealth: {
            id: string;
            service: string;
            environment: string | null;
            /** @enum {string} */
            severity: "healthy" | "degraded" | "action_required";
            summary: string;
            heartbeatAgeSeconds: number | null;
            latencyMs: number | null;
            code: string | null;
            /** Format: date-time */
            checkedAt: string;
            provider: string | null;
            deployment: string | null;
        };
        LiveEvent: {
            /** Format: uuid */
            id: string;
            cursor: string;
            /** Format: uuid */
            organizationId: string | null;
            /** @enum {string} */
            audience: "consumer" | "admin" | "both";
            /** @enum {string} */
            kind: "expense.changed" | "agent_run.changed" | "approval.changed" | "payment.changed" | "support_case.changed" | "integration.changed" | "service.changed" | "stream.reset";
            /** @enum {string} */
            aggregateType: "expense" | "agent_run" | "approval" | "payment" | "support_case" | "integration" | "service";
            aggregateId: string;
            targetState: string | null;
            /** @enum {string} */
            severity: "healthy" | "degraded" | "action_required";
            code: string | null;
            /** Format: date-time */
            occurredAt: string;
        };
        LiveSnapshot: {
            /** Format: date-time */
            serverTime: string;
            cursor: string | null;
            scope: {
                /** @enum {string} */
                realm: "consumer" | "admin";
                /** Format: uuid */
                organizationId: string | null;
            };
            transportPolicy: {
                keepaliveSeconds: number;
                staleAfterSeconds: number;
                snapshotPollSeconds: number;
                maxConnectionSeconds: number;
            };
            /** @enum {string} */
            severity: "healthy" | "degraded" | "action_required";
            tasks: components["schemas"]["Task"][];
            services: components["schemas"]["ServiceHealth"][];
            events: components["schemas"]["LiveEvent"][];
        };
        PushConfig: {
            active: boolean;
            /** @description The applicationServerKey to subscribe with; empty while push is inactive */
            publicKey: string;
        };
        PushSubscription: {
            /** Format: uuid */
            id: string;
            deviceLabel: string;
            active: boolean;
        };
        PushDevice: {
            /** Format: uuid */
            id: string;
            deviceLabel: string;
            active: boolean;
            /** @description Host of the browser's push service */
            endpointHost: string;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the device last subscribed
             */
            renewedAt: string;
            /** Format: date-time */
            expiresAt: string | null;
        };
        Notification: {
            /** @enum {string} */
            category: "approval_needed" | "review_needed" | "payment_confirmed" | "payment_blocked" | "payment_unrecorded" | "revision_requested" | "member_role_changed" | "support_updated" | "wallet_exported" | "wallet_export_locked" | "webhook_disabled";
            /** @description Path in the application to open */
            route: string;
        };
        ClientConfig: {
            chain: {
                id: number;
                name: string;
                /** @description Depth at which a transaction is final */
                confirmations: number;
                /** @description URL templates of a block explorer. Null if none is configured. */
                explorer: {
                    /** @description Replace `{transactionHash}` */
                    transactionUrl: string;
                    /** @description Replace `{address}` */
                    addressUrl: string;
                    /** @description Replace `{blockNumber}` */
                    blockUrl: string;
                } | null;
            };
            token: {
                symbol: string;
                address: string;
                decimals: number;
            };
            limits: {
                /** @description The largest JSON body that is read */
                requestBodyBytes: number;
                /** @description The largest file that can be attached */
                attachmentBytes: number;
                /** @description Maximum characters (code points) of texts */
                lengths: {
                    organizationName: number;
                    recipientLabel: number;
                    vaultLabel: number;
                    walletPurpose: number;
                    expensePurpose: number;
                    reviewReason: number;
                    comment: number;
                    supportSubject: number;
                    deviceLabel: number;
                };
                counts: {
                    policyApprovers: number;
                    policyRecipients: number;
                    expenseRevisions: number;
                    expenseComments: number;
                    pushDevices: number;
                };
                quotas: {
                    organizationsPerAccount: number;
                    serverWalletsPerAccount: number;
                    serverWalletsPerOrganization: number;
                    executorsPerOrganization: number;
                    invitationsPerOrganization: number;
                    attachmentMibPerOrganization: number;
                    webhooksPerOrganization: number;
                };
                /** @description Of one account; more are answered with 429 */
                requestsPerMinute: number;
                /** @description Live streams; one more ends the oldest */
                streamsPerAccount: number;
            };
            features: {
                /** @description Whether devices can subscribe to push messages */
                push: boolean;
                /** @description Whether notifications are sent by e-mail */
                email: boolean;
                /** @description Whether wallets can be linked by signature */
                walletLinks: boolean;
                /** @description Whether funding signers can deposit into vaults */
                funding: boolean;
                /** @description Whether a model reviews expenses besides the rules */
                model: boolean;
                /** @enum {string|null} */
                walletProvider: "local" | "privy" | null;
                /**
                 * @description manual: an owner or a manager releases each authorised payment
                 * @enum {string}
                 */
                paymentRelease: "automatic" | "manual";
                /**
                 * @description owner_confirms: an owner confirms people whom a manager has invited
                 * @enum {string}
                 */
                organizationJoin: "open" | "owner_confirms";
            };
        };
        NotificationPreferences: {
            /** @description Every category once */
            preferences: {
                /**
                 * @description What the notification is about
                 * @enum {string}
                 */
                category: "approval_needed" | "review_needed" | "payment_confirmed" | "payment_blocked" | "payment_unrecorded" | "revision_requested" | "member_role_changed" | "support_updated" | "wallet_exported" | "wallet_export_locked" | "webhook_disabled";
                /** @description Whether devices are notified */
                push: boolean;
                /** @description Whether an e-mail is sent */
                email: boolean;
                /** @description True: it cannot be switched off */
                required: boolean;
            }[];
            channels: {
                /** @description Whether this deployment sends push messages */
                push: boolean;
                /** @description Whether this deployment sends e-mail */
                email: boolean;
            };
            /** @description The caller's verified address, to which e-mails go; null if the identity provider has verified none */
            emailAddress: string | null;
        };
        EmailUnsubscription: {
            /**
             * @description What the notification is about
             * @enum {string}
             */
            category: "approval_needed" | "review_needed" | "payment_confirmed" | "payment_blocked" | "payment_unrecorded" | "revision_requested" | "member_role_changed" | "support_updated" | "wallet_exported" | "wallet_export_locked" | "webhook_disabled";
        };
        Webhook: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            url: string;
            kinds: string[];
            /** @enum {string} */
            state: "active" | "disabled";
            /**
             * @description gone: the receiver answered 410. failing: no event was accepted for a day. Null while the webhook is active
             * @enum {string|null}
             */
            disabledCode: "gone" | "failing" | null;
            /** Format: uuid */
            createdByAccountId: string;
            /** @description Name of the member who created it */
            displayName: string | null;
            /**
             * Format: date-time
             * @description Every attempt since then has failed; null if the last one succeeded
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Until then the previous secret signs too; null outside of a rotation
             */
            previousSecretExpiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WebhookWithSecret: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            url: string;
            kinds: string[];
            /** @enum {string} */
            state: "active" | "disabled";
            /**
             * @description gone: the receiver answered 410. failing: no event was accepted for a day. Null while the webhook is active
             * @enum {string|null}
             */
            disabledCode: "gone" | "failing" | null;
            /** Format: uuid */
            createdByAccountId: string;
            /** @description Name of the member who created it */
            displayName: string | null;
            /**
             * Format: date-time
             * @description Every attempt since then has failed; null if the last one succeeded
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Until then the previous secret signs too; null outside of a rotation
             */
            previousSecretExpiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description whsec_ and the key in base64. Shown once: null in a replay of the request. Rotate the secret if it was lost */
            secret: string | null;
        };
        WebhookDelivery: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description Id of the live event, and the webhook-id of the message
             */
            eventId: string;
            kind: string;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed";
            /** @description Attempts made so far */
            attempt: number;
            /** @description Of the last attempt; null if the endpoint did not answer */
            statusCode: number | null;
            /** @description Why the last attempt failed */
            error: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            attemptedAt: string | null;
            /** Format: date-time */
            nextAttemptAt: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                        /** @enum {string} */
                        service: "api";
                        version: string;
                    };
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok" | "error";
                        checks: {
                            /** @enum {string} */
                            database: "ok" | "error";
                        };
                    };
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok" | "error";
                        checks: {
                            /** @enum {string} */
                            database: "ok" | "error";
                        };
                    };
                };
            };
        };
    };
    openConsumerSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    identityToken: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsumerSession"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getConsumer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsumerSession"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateConsumer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description One line of up to 100 characters; null for no own choice */
                    displayName: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsumerSession"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    openAdminSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    identityToken?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOperator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listConsumerWallets: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletList"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createConsumerWallet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    organizationId?: string;
                    /** @enum {string} */
                    chainType?: "ethereum" | "solana";
                    purpose: string;
                    /** @description 1 to 255 visible ASCII characters. Repeating it returns the same wallet. */
                    idempotencyKey: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listOperatorWallets: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletList"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createOperatorWallet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    organizationId?: string;
                    /** @enum {string} */
                    chainType?: "ethereum" | "solana";
                    purpose: string;
                    /** @description 1 to 255 visible ASCII characters. Repeating it returns the same wallet. */
                    idempotencyKey: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    requestConsumerExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    organizationId?: string;
                    /** @description P-256 public key in base64, as SPKI or as a raw uncompressed point */
                    recipientPublicKey: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedExport"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    completeConsumerExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                walletId: string;
                requestId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description P-256 public key in base64, as SPKI or as a raw uncompressed point */
                    recipientPublicKey: string;
                    /** @description ECDSA P-256/SHA-256 over the payload's canonical JSON, DER in base64 */
                    authorizationSignature: string;
                    /** @description ID token of a two-factor authentication at most five minutes old */
                    mfaAssertion: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompletedExport"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelConsumerExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                walletId: string;
                requestId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request is no longer pending */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    requestOperatorExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    organizationId?: string;
                    /** @description P-256 public key in base64, as SPKI or as a raw uncompressed point */
                    recipientPublicKey: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedExport"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    completeOperatorExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                walletId: string;
                requestId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description P-256 public key in base64, as SPKI or as a raw uncompressed point */
                    recipientPublicKey: string;
                    /** @description ECDSA P-256/SHA-256 over the payload's canonical JSON, DER in base64 */
                    authorizationSignature: string;
                    /** @description ID token of a two-factor authentication at most five minutes old */
                    mfaAssertion: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompletedExport"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelOperatorExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                walletId: string;
                requestId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request is no longer pending */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    challengeWalletLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The wallet to link */
                    address: string;
                    /**
                     * @description Defaults to ethereum, the only one that can be linked by a signature
                     * @enum {string}
                     */
                    chainType?: "ethereum" | "solana";
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkChallenge"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    linkWallet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    challengeId: string;
                    /** @description Signature of the message by a key, ERC-1271 or ERC-6492 */
                    signature: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unlinkWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        organizations: components["schemas"]["OrganizationSummary"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationSummary"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    renameOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationSummary"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        members: components["schemas"]["Member"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                membershipId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedMember"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPendingMembers: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        pendingMembers: components["schemas"]["PendingMember"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    confirmMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                membershipId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    assignWalletRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    membershipId: string;
                    /** Format: uuid */
                    walletId: string;
                    /** @enum {string} */
                    role: "treasury_owner" | "approver";
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletRole"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeWalletRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                walletRoleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedWalletRole"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeMemberRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                membershipId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "owner" | "manager" | "employee";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedMember"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    leaveOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedMember"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invitations: components["schemas"]["Invitation"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header: {
                /** @description 1 to 255 visible ASCII characters. Repeating a key with the same body replays the first answer. */
                "idempotency-key": string;
            };
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "manager" | "employee";
                    /** @description Only an account with this verified address may accept the invitation. It is sent there where e-mail is configured */
                    email?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewInvitation"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedInvitation"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRecipients: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        recipients: components["schemas"]["Recipient"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addRecipient: {
        parameters: {
            query?: never;
            header: {
                /** @description 1 to 255 visible ASCII characters. Repeating a key with the same body replays the first answer. */
                "idempotency-key": string;
            };
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    label: string;
                    address: string;
                    chainId: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recipient"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deactivateRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recipient"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    renameRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    label: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recipient"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    importRecipients: {
        parameters: {
            query?: never;
            header: {
                /** @description 1 to 255 visible ASCII characters. Repeating a key with the same body replays the first answer. */
                "idempotency-key": string;
            };
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description All of them are added, or none */
                    recipients: {
                        label: string;
                        address: string;
                        chainId: number;
                    }[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedRecipients"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** @description Only events of this account */
                actor?: string;
                /** @description Only events with exactly this action */
                action?: string;
                /** @description Only events about this thing, such as an expense */
                aggregateId?: string;
                /** @description Only events at this time or later */
                from?: string;
                /** @description Only events before this time */
                to?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        auditEvents: components["schemas"]["TrailEvent"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAuditHead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The last event of the trail. Its hash covers every event before it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditHead"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportAuditTrail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One JSON object per line: `{sequence, event, digest, hash}` for every event in the order of the trail, then `{head: {organizationId, sequence, hash, at}}`. A file without this last line is incomplete. */
            200: {
                headers: {
                    /** @description A download, named after the organization and the last event */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getExecutor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutorStatus"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    provisionExecutor: {
        parameters: {
            query?: never;
            header: {
                /** @description 1 to 255 visible ASCII characters. Repeating a key with the same body replays the first answer. */
                "idempotency-key": string;
            };
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutorStatus"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reconcileExecutor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutorStatus"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTreasuryOverview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TreasuryOverview"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMemberFunds: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberFunds"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listVaults: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        vaults: components["schemas"]["Vault"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getVault: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                vaultId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VaultDetail"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    registerVault: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Defaults to "Primary vault" */
                    label?: string;
                    address: string;
                    deploymentTransactionHash: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vault"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setDefaultVault: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                vaultId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vault"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    archiveVault: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                vaultId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vault"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    prepareVaultDeployment: {
        parameters: {
            query?: never;
            header: {
                /** @description 1 to 255 visible ASCII characters. Repeating a key with the same body replays the first answer. */
                "idempotency-key": string;
            };
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    label: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VaultDeploymentIntent"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    confirmVaultDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                intentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    transactionHash: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VaultDeploymentIntent"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    preparePolicy: {
        parameters: {
            query?: never;
            header: {
                /** @description 1 to 255 visible ASCII characters. Repeating a key with the same body replays the first answer. */
                "idempotency-key": string;
            };
            path: {
                organizationId: string;
                vaultId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    approvedCap: string;
                    automaticCap: string;
                    lifetimeCap: string;
                    reserveFloor: string;
                    /** Format: date-time */
                    expiresAt: string;
                    automaticEnabled: boolean;
                    paused: boolean;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyIntent"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    confirmPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                vaultId: string;
                intentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    transactionHash: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyIntent"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    syncPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    chainTransactionHash: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listVaultDeployments: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        vaultDeployments: components["schemas"]["ListedVaultDeployment"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPolicyIntents: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
                vaultId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        policyIntents: components["schemas"]["ListedPolicyIntent"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    uploadAttachment: {
        parameters: {
            query?: never;
            header: {
                /** @description 1 to 255 visible ASCII characters. Repeating a key with the same body replays the first answer. */
                "idempotency-key": string;
                /** @description The name of the file: attachment; filename="receipt.pdf", or filename* for characters other than ASCII (RFC 6266) */
                "content-disposition": string;
            };
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        /** @description The bytes of the file, at most 10 MiB */
        requestBody: {
            content: {
                "application/pdf": string;
                "image/png": string;
                "image/jpeg": string;
                "image/webp": string;
                "text/csv": string;
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attachment"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    downloadAttachment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                attachmentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes of the file, always as a download */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                    "image/png": string;
                    "image/jpeg": string;
                    "image/webp": string;
                    "text/csv": string;
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCategories: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description In the organization's own order */
                        categories: components["schemas"]["Category"][];
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setCategories: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description All categories, in the order of the list */
                    categories: {
                        code: string;
                        name: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description In the organization's own order */
                        categories: components["schemas"]["Category"][];
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listExpenses: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                /** @description Only expenses in this state; repeat it for several */
                state?: ("draft" | "analysis_queued" | "analyzing" | "needs_review" | "revision_requested" | "awaiting_approval" | "approved_ready_for_payment" | "automatic_ready_for_payment" | "executing" | "reconciling" | "paid" | "rejected" | "cancelled" | "blocked")[];
                /** @description Only expenses of this member */
                submitterAccountId?: string;
                /** @description Only expenses whose current revision pays it */
                recipientId?: string;
                /** @description Only expenses that this vault pays */
                vaultId?: string;
                /** @description Only expenses with this category code */
                category?: string;
                /** @description Only expenses created at or after this moment; a day begins at 00:00 UTC */
                from?: string;
                /** @description Only expenses created before this moment; a day is included as a whole */
                to?: string;
                /** @description Least amount in base units */
                minAmount?: string;
                /** @description Greatest amount in base units */
                maxAmount?: string;
                /** @description Words of the purpose, the reference or the recipient's label; each may be a beginning */
                q?: string;
                /** @description Only expenses with a task that needs action of the caller. A page may then be shorter than its limit: continue until `nextCursor` is null */
                waitingFor?: "me";
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        expenses: components["schemas"]["ListedExpense"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createExpense: {
        parameters: {
            query?: never;
            header: {
                /** @description 1 to 255 visible ASCII characters. Repeating a key with the same body replays the first answer. */
                "idempotency-key": string;
            };
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    vaultId: string;
                    purpose: string;
                    /** Format: uuid */
                    recipientId: string;
                    amountBaseUnits: string;
                    /** @enum {string} */
                    requestedMode: "approved" | "automatic";
                    /** @description Uploaded attachments, in the order in which they are shown. The version hash covers the SHA-256 of each. */
                    attachmentIds?: string[];
                    /** @description Code of one of the organization's categories */
                    category?: string | null;
                    /** @description Such as an invoice number */
                    reference?: string | null;
                    /**
                     * Format: date
                     * @description The day on which the payment is due
                     */
                    dueDate?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Expense"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    countExpenses: {
        parameters: {
            query?: {
                /** @description Only expenses in this state; repeat it for several */
                state?: ("draft" | "analysis_queued" | "analyzing" | "needs_review" | "revision_requested" | "awaiting_approval" | "approved_ready_for_payment" | "automatic_ready_for_payment" | "executing" | "reconciling" | "paid" | "rejected" | "cancelled" | "blocked")[];
                /** @description Only expenses of this member */
                submitterAccountId?: string;
                /** @description Only expenses whose current revision pays it */
                recipientId?: string;
                /** @description Only expenses that this vault pays */
                vaultId?: string;
                /** @description Only expenses with this category code */
                category?: string;
                /** @description Only expenses created at or after this moment; a day begins at 00:00 UTC */
                from?: string;
                /** @description Only expenses created before this moment; a day is included as a whole */
                to?: string;
                /** @description Least amount in base units */
                minAmount?: string;
                /** @description Greatest amount in base units */
                maxAmount?: string;
                /** @description Words of the purpose, the reference or the recipient's label; each may be a beginning */
                q?: string;
                /** @description Only expenses with a task that needs action of the caller. A page may then be shorter than its limit: continue until `nextCursor` is null */
                waitingFor?: "me";
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Expenses in each state */
                        counts: {
                            draft: number;
                            analysis_queued: number;
                            analyzing: number;
                            needs_review: number;
                            revision_requested: number;
                            awaiting_approval: number;
                            approved_ready_for_payment: number;
                            automatic_ready_for_payment: number;
                            executing: number;
                            reconciling: number;
                            paid: number;
                            rejected: number;
                            cancelled: number;
                            blocked: number;
                        };
                        total: number;
                        /** @description False only with `waitingFor`, if more than 1,000 expenses could wait for the caller: the counts then cover the newest of them */
                        isComplete: boolean;
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getExpense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                expenseId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Expense"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reviseExpense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                expenseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    vaultId: string;
                    purpose: string;
                    /** Format: uuid */
                    recipientId: string;
                    amountBaseUnits: string;
                    /** @enum {string} */
                    requestedMode: "approved" | "automatic";
                    /** @description Uploaded attachments, in the order in which they are shown. The version hash covers the SHA-256 of each. */
                    attachmentIds?: string[];
                    /** @description Code of one of the organization's categories */
                    category?: string | null;
                    /** @description Such as an invoice number */
                    reference?: string | null;
                    /**
                     * Format: date
                     * @description The day on which the payment is due
                     */
                    dueDate?: string | null;
                    expectedVersion: number;
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Expense"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reviewExpense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                expenseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expectedVersion: number;
                    /** @enum {string} */
                    action: "request_revision" | "reject" | "advance_to_approval";
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Expense"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    commentOnExpense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                expenseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    body: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Expense"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelExpense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                expenseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expectedVersion: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Expense"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    submitExpense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                expenseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expectedVersion: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        taskId: string;
                        /** Format: uuid */
                        expenseId: string;
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                reportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRevisionReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                expenseId: string;
                revision: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    prepareApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                expenseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expectedVersion: number;
                    deadlineSeconds?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreparedApproval"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    submitSignature: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                expenseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expectedVersion: number;
                    /** Format: uuid */
                    approvalId: string;
                    signature: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelSigning: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                expenseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expectedVersion: number;
                    /** Format: uuid */
                    approvalId: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        approvalId: string;
                        /** @enum {string} */
                        state: "prepared";
                        /** @enum {boolean} */
                        cancelled: true;
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    invalidateApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    transactionHash: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        approvalId: string;
                        /** @enum {string} */
                        state: "invalidated";
                        transactionHash: string;
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    queuePayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                expenseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expectedVersion: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                paymentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        payment: components["schemas"]["Payment"];
                        attempts: components["schemas"]["PaymentAttempt"][];
                        receipt: components["schemas"]["PaymentReceipt"] | null;
                        evidence?: components["schemas"]["PaymentEvidence"];
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reconcilePayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                paymentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expectedVersion: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listActivity: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                /** @description Only payments in this state; repeat it for several */
                state?: ("reserved" | "queued" | "submitting" | "broadcast" | "reconciling" | "confirmed" | "blocked" | "failed")[];
                /** @description Only payments to this recipient */
                recipientId?: string;
                /** @description Only payments created at or after this moment; a day begins at 00:00 UTC */
                from?: string;
                /** @description Only payments created before this moment; a day is included as a whole */
                to?: string;
                /** @description Words of the purpose, the reference or the recipient's label; each may be a beginning */
                q?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        payments: components["schemas"]["ActivityItem"][];
                        /** @description On the first page without filters, for owners and managers: the newest payments of the vaults without a payment here, open or acknowledged. GET …/unrecorded-payments has all of them. */
                        unrecordedPayments: components["schemas"]["UnrecordedPayment"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUnrecordedPayments: {
        parameters: {
            query?: {
                /** @description open: nobody has acknowledged it. recorded: its payment row exists now. withdrawn: a reorganisation of the chain has removed its log. */
                state?: "open" | "acknowledged" | "recorded" | "withdrawn";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        unrecordedPayments: components["schemas"]["UnrecordedPayment"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    acknowledgeUnrecordedPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                unrecordedPaymentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What was found out about the payment */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnrecordedPayment"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportPayments: {
        parameters: {
            query?: {
                /** @description Only payments confirmed at or after this moment; a day begins at 00:00 UTC */
                from?: string;
                /** @description Only payments confirmed before this moment; a day is included as a whole */
                to?: string;
                /** @description plain has every column; xero and quickbooks are what these systems import */
                format?: "plain" | "xero" | "quickbooks";
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description RFC 4180, UTF-8, with a header line; docs/EXPORTS.md describes the columns */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportExpenses: {
        parameters: {
            query?: {
                /** @description Only expenses created at or after this moment; a day begins at 00:00 UTC */
                from?: string;
                /** @description Only expenses created before this moment; a day is included as a whole */
                to?: string;
                /** @description plain has every column; xero and quickbooks are what these systems import */
                format?: "plain" | "xero" | "quickbooks";
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description RFC 4180, UTF-8, with a header line; docs/EXPORTS.md describes the columns */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSpending: {
        parameters: {
            query?: {
                /** @description Only payments confirmed at or after this moment; a day begins at 00:00 UTC */
                from?: string;
                /** @description Only payments confirmed before this moment; a day is included as a whole */
                to?: string;
                /** @description What the payments are grouped by */
                by?: "month" | "recipient" | "category" | "member" | "vault";
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Months in their order, other groups from the largest; at most 1,000 */
                        groups: {
                            /** @description YYYY-MM, the id of the recipient or the vault, the account id of the submitter, or the code of the category; null for payments without a category */
                            key: string | null;
                            /** @description What to show for the key, if it has a name */
                            label: string | null;
                            amountBaseUnits: string;
                            count: number;
                        }[];
                        /** @description The sum of all payments of the period, in base units */
                        total: string;
                        count: number;
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getFundingControl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                vaultId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FundingControl"] | null;
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    attachFundingControl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                vaultId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    providerPolicyId: string;
                    signerId: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FundingControl"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getProviderSigner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderSigner"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listFundingActions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FundingAction"][];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    requestFundingAction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    action: "deposit" | "withdraw_probe";
                    amountBaseUnits: string;
                    /** Format: uuid */
                    idempotencyKey: string;
                    approvalTransactionHash?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FundingAction"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getFundingAction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                actionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FundingAction"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getIntegrationsStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integrations"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listLedgerProofs: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        proofs: components["schemas"]["LedgerProof"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    prepareLedgerProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    kind: "deployment" | "funding" | "configure" | "approval";
                    signer: string;
                    owner: string;
                    vault?: string;
                    executor?: string;
                    recipient?: string;
                    /** Format: uuid */
                    paymentIntentId?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerProof"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLedgerProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerProof"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    claimLedgerProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerProof"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    confirmLedgerProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    hash: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerProof"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listOwnSupportCases: {
        parameters: {
            query?: {
                status?: "open" | "investigating" | "resolved" | "reopened";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cases: components["schemas"]["SupportCase"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    openSupportCase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    subject: string;
                    /** @description The first message of the case */
                    body?: string;
                    /** @description 1 low, 2 medium, 3 high */
                    priority?: number;
                    /** Format: uuid */
                    expenseId?: string;
                    /** Format: uuid */
                    paymentId?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SupportCase"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addSupportNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                caseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    body: string;
                    /** @enum {string} */
                    status?: "open" | "investigating" | "resolved" | "reopened";
                    /** @description Shows the note to members, as a message of support. Default: false */
                    visibleToCustomer?: boolean;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SupportNote"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOwnSupportCase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                caseId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnSupportCase"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addSupportMessage: {
        parameters: {
            query?: never;
            header: {
                /** @description 1 to 255 visible ASCII characters. Repeating a key with the same body replays the first answer. */
                "idempotency-key": string;
            };
            path: {
                organizationId: string;
                caseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    body: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SupportMessage"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminOverview"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listFailures: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        analysisRuns: components["schemas"]["AgentRun"][];
                        payments: components["schemas"]["Payment"][];
                        paymentAttempts: components["schemas"]["AdminPaymentAttempt"][];
                        /** @description The last hundred unrecorded payments that no owner has acknowledged */
                        unrecordedPayments: components["schemas"]["UnrecordedPayment"][];
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSupportCases: {
        parameters: {
            query?: {
                page?: number;
                status?: "open" | "investigating" | "resolved" | "reopened";
                priority?: "low" | "medium" | "high";
                sort?: "newest" | "oldest" | "priority_desc" | "priority_asc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cases: components["schemas"]["SupportCase"][];
                        pagination: {
                            page: number;
                            pageSize: number;
                            totalItems: number;
                            totalPages: number;
                        };
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSupportCase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                caseId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminSupportCase"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listServiceAuditEvents: {
        parameters: {
            query?: {
                /** @description Only events of this account */
                actor?: string;
                /** @description Only events with exactly this action */
                action?: string;
                /** @description Only events about this thing, such as an expense */
                aggregateId?: string;
                /** @description Only events at this time or later */
                from?: string;
                /** @description Only events before this time */
                to?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        auditEvents: components["schemas"]["TrailEvent"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAdminOrganizations: {
        parameters: {
            query?: {
                /** @description Part of the name (case-insensitive), or an exact id, vault address, payment id or transaction hash */
                q?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        organizations: components["schemas"]["AdminOrganization"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        organization: components["schemas"]["AdminOrganization"];
                        treasuryVaults: components["schemas"]["Vault"][];
                        members: components["schemas"]["Member"][];
                        expenses: components["schemas"]["ListedExpense"][];
                        expenseComments: components["schemas"]["AdminExpenseComment"][];
                        reports: components["schemas"]["Report"][];
                        agentRuns: components["schemas"]["AgentRun"][];
                        approvals: components["schemas"]["AdminApproval"][];
                        auditEvents: components["schemas"]["AuditEvent"][];
                        payments: components["schemas"]["Payment"][];
                        attempts: components["schemas"]["AdminPaymentAttempt"][];
                        receipts: components["schemas"]["AdminPaymentReceipt"][];
                        supportCases: components["schemas"]["SupportCase"][];
                        supportNotes: components["schemas"]["SupportNote"][];
                        /** @description Arrays that contain only their newest hundred rows */
                        truncated: string[];
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOrganizationExecutor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutorStatus"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reconcileOrganizationExecutor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutorStatus"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLiveSnapshot: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of an earlier response. The answer is 304 if nothing has changed since. */
                "if-none-match"?: string;
            };
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description Version of this response. Send it as If-None-Match with the next request. */
                    ETag?: string;
                    /** @description Seconds to wait before the next poll */
                    "X-Poll-Interval"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveSnapshot"];
                };
            };
            /** @description Nothing has changed since the response that If-None-Match names */
            304: {
                headers: {
                    /** @description Version of this response. Send it as If-None-Match with the next request. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminLiveSnapshot: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of an earlier response. The answer is 304 if nothing has changed since. */
                "if-none-match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description Version of this response. Send it as If-None-Match with the next request. */
                    ETag?: string;
                    /** @description Seconds to wait before the next poll */
                    "X-Poll-Interval"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveSnapshot"];
                };
            };
            /** @description Nothing has changed since the response that If-None-Match names */
            304: {
                headers: {
                    /** @description Version of this response. Send it as If-None-Match with the next request. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPushConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushConfig"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPushSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscriptions: components["schemas"]["PushDevice"][];
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    subscribeToPush: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uri */
                    endpoint: string;
                    expirationTime: number | null;
                    keys: {
                        p256dh: string;
                        auth: string;
                    };
                    deviceLabel: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unsubscribeFromPush: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uri */
                    endpoint: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removePushSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notification"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getNotificationPreferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPreferences"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setNotificationPreferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The categories to change, each once. Others keep their settings. */
                    preferences: {
                        /**
                         * @description What the notification is about
                         * @enum {string}
                         */
                        category: "approval_needed" | "review_needed" | "payment_confirmed" | "payment_blocked" | "payment_unrecorded" | "revision_requested" | "member_role_changed" | "support_updated" | "wallet_exported" | "wallet_export_locked" | "webhook_disabled";
                        /** @description Notify devices; left out: unchanged */
                        push?: boolean;
                        /** @description Send e-mail; left out: unchanged */
                        email?: boolean;
                    }[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPreferences"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unsubscribeFromEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token of the unsubscribe link */
                unsubscribeToken: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailUnsubscription"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhooks: components["schemas"]["Webhook"][];
                    };
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header: {
                /** @description 1 to 255 visible ASCII characters. Repeating a key with the same body replays the first answer. */
                "idempotency-key": string;
            };
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uri
                     * @description https on port 443 of a host on the public internet. Redirects are not followed
                     */
                    url: string;
                    /** @description The kinds of live events to send */
                    kinds: ("expense.changed" | "agent_run.changed" | "approval.changed" | "payment.changed" | "support_case.changed" | "integration.changed" | "service.changed")[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header: {
                /** @description 1 to 255 visible ASCII characters. Repeating a key with the same body replays the first answer. */
                "idempotency-key": string;
            };
            path: {
                organizationId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    enableWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pingWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: components["schemas"]["WebhookDelivery"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Default Response */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    streamLive: {
        parameters: {
            query?: {
                /** @description Resume after this cursor of a snapshot or an event */
                cursor?: string;
            };
            header?: {
                /** @description Id of the last event received; takes precedence over `cursor` */
                "last-event-id"?: string;
            };
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-Sent Events: id is the cursor, event the kind, data a live event as JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    streamAdminLive: {
        parameters: {
            query?: {
                /** @description Resume after this cursor of a snapshot or an event */
                cursor?: string;
            };
            header?: {
                /** @description Id of the last event received; takes precedence over `cursor` */
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-Sent Events: id is the cursor, event the kind, data a live event as JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getClientConfig: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of an earlier response. The answer is 304 if nothing has changed since. */
                "if-none-match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    /** @description Version of this response. Send it as If-None-Match with the next request. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientConfig"];
                };
            };
            /** @description Nothing has changed since the response that If-None-Match names */
            304: {
                headers: {
                    /** @description Version of this response. Send it as If-None-Match with the next request. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Default Response */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
