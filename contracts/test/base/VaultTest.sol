// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {TestUSDC} from "../mocks/TestUSDC.sol";
import {Domain, Order, Orders} from "./Order.sol";
import {vm} from "./Vm.sol";

/// @notice A funded vault with a policy, its people, and words for what the tests do with it.
/// @dev The vault is the compiled artifact, not an import: the tests run the code that is shipped.
abstract contract VaultTest {
    using Orders for Order;

    uint256 internal constant NOW = 1_800_000_000;
    uint256 internal constant FUNDS = 1_000_000e6;
    uint128 internal constant APPROVED_CAP = 10_000e6;
    uint128 internal constant AUTOMATIC_CAP = 500e6;
    uint128 internal constant LIFETIME_CAP = 100_000e6;
    uint128 internal constant RESERVE = 1_000e6;
    bytes32 internal constant ORGANIZATION = keccak256("an organization");
    /// @dev Order of the curve's group.
    uint256 internal constant N =
        0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;

    uint256 internal immutable approverKey = uint256(keccak256("approver"));
    uint256 internal immutable secondKey = uint256(keccak256("second approver"));
    address internal immutable approver = vm.addr(approverKey);
    address internal immutable second = vm.addr(secondKey);
    address internal immutable owner = _named("owner");
    address internal immutable executor = _named("executor");
    address internal immutable recipient = _named("recipient");
    address internal immutable stranger = _named("stranger");

    TestUSDC internal usdc;
    ICountersignVault internal vault;

    function setUp() public virtual {
        vm.warp(NOW);
        usdc = TestUSDC(_create(vm.getCode("TestUSDC.sol:TestUSDC")));
        vault = _newVault(owner, IERC20(address(usdc)), ORGANIZATION);
        usdc.mint(address(vault), FUNDS);
        _configure(_config());
    }

    function _named(string memory name) internal returns (address account) {
        account = vm.addr(uint256(keccak256(bytes(name))));
        vm.label(account, name);
    }

    function _vaultCode(address owner_, IERC20 token, bytes32 organizationHash, uint32 delay)
        internal
        view
        returns (bytes memory)
    {
        bytes memory code = vm.getCode("CountersignVault.sol:CountersignVault");
        return bytes.concat(code, abi.encode(owner_, token, organizationHash, delay));
    }

    /// @dev Whose changes count at once.
    function _newVault(address owner_, IERC20 token, bytes32 organizationHash)
        internal
        returns (ICountersignVault)
    {
        return ICountersignVault(_create(_vaultCode(owner_, token, organizationHash, 0)));
    }

    /// @dev The usual vault once more, with its policy, recipient and money, whose changes wait.
    function _delayVault(uint32 delay) internal {
        IERC20 token = IERC20(address(usdc));
        vault = ICountersignVault(_create(_vaultCode(owner, token, ORGANIZATION, delay)));
        usdc.mint(address(vault), FUNDS);
        _configure(_config());
    }

    /// @dev Runs creation code and hands its error on.
    function _create(bytes memory code) internal returns (address made) {
        assembly ("memory-safe") {
            made := create(0, add(code, 0x20), mload(code))
            if iszero(made) {
                let free := mload(0x40)
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }

    function _config() internal view virtual returns (IVaultRecords.PolicyConfig memory) {
        address[] memory approvers = new address[](2);
        (approvers[0], approvers[1]) = (approver, second);
        return IVaultRecords.PolicyConfig({
            executor: executor,
            expiresAt: uint64(NOW + 30 days),
            automaticEnabled: true,
            paused: false,
            approvedCap: APPROVED_CAP,
            automaticCap: AUTOMATIC_CAP,
            lifetimeCap: LIFETIME_CAP,
            reserveFloor: RESERVE,
            periodSeconds: 0,
            periodCap: 0,
            automaticPeriodCap: 0,
            tiers: new IVaultRecords.ApprovalTier[](0),
            approvers: approvers
        });
    }

    function _list(address entry) internal pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = entry;
    }

    /// @dev `count` different addresses that are nobody's.
    function _crowd(uint256 count, uint160 from) internal pure returns (address[] memory list) {
        list = new address[](count);
        for (uint256 i = 0; i < count; ++i) {
            list[i] = address(from + uint160(i));
        }
    }

    /// @dev A vault's first policy comes with the usual recipient.
    function _configure(IVaultRecords.PolicyConfig memory config) internal {
        uint64 version = vault.policyVersion();
        vm.prank(owner);
        if (version > 0) vault.configurePolicy(version, config);
        else vault.configurePolicyAndRecipients(0, config, 0, _list(recipient), _none());
    }

    function _changeRecipients(address[] memory add, address[] memory remove) internal {
        uint64 version = vault.recipientsVersion();
        bytes memory data =
            abi.encodeCall(ICountersignVault.changeRecipients, (version, add, remove));
        _succeeds(owner, data);
    }

    function _tier(uint128 above, uint8 approvals)
        internal
        pure
        returns (IVaultRecords.ApprovalTier[] memory tiers)
    {
        tiers = new IVaultRecords.ApprovalTier[](1);
        tiers[0] = IVaultRecords.ApprovalTier(above, approvals);
    }

    function _none() internal pure returns (address[] memory) {
        return new address[](0);
    }

    function _order() internal view returns (Order memory) {
        return Order({
            paymentId: keccak256("payment"),
            recipient: recipient,
            amount: 100e6,
            version: vault.policyVersion(),
            reportHash: keccak256("report"),
            expenseVersionHash: keccak256("expense"),
            deadline: uint64(block.timestamp + 1 hours),
            approvalId: keccak256("approval"),
            approver: approver
        });
    }

    function _digest(Order memory order) internal view returns (bytes32) {
        return order.digest(
            Domain(block.chainid, address(vault), address(vault.token()), vault.organizationHash())
        );
    }

    function _sign(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    /// @dev The approver's signature over the order.
    function _signed(Order memory order) internal view returns (bytes memory) {
        return _sign(approverKey, _digest(order));
    }

    function _call(address caller, bytes memory data)
        internal
        returns (bool ok, bytes memory answer)
    {
        vm.prank(caller);
        (ok, answer) = address(vault).call(data);
    }

    function _succeeds(address caller, bytes memory data) internal {
        (bool ok, bytes memory answer) = _call(caller, data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }

    /// @dev Refused with exactly this error, and nothing that can be seen has changed.
    function _reverts(address caller, bytes memory data, bytes memory err) internal {
        bytes32 before = _state();
        (bool ok, bytes memory answer) = _call(caller, data);
        vm.assertFalse(ok, "the call should be refused");
        vm.assertEq(answer, err, "error");
        vm.assertEq(_state(), before, "a refused call changed something");
    }

    function _approves(Order memory order) internal {
        _succeeds(executor, order.approvedCall(_signed(order)));
    }

    function _approvedReverts(Order memory order, bytes memory err) internal {
        _reverts(executor, order.approvedCall(_signed(order)), err);
    }

    function _automates(Order memory order) internal {
        _succeeds(executor, order.automaticCall());
    }

    function _automaticReverts(Order memory order, bytes memory err) internal {
        _reverts(executor, order.automaticCall(), err);
    }

    /// @dev Everything about the vault that a call in these tests could change.
    function _state() internal view returns (bytes32) {
        Order memory order = _order();
        return keccak256(
            abi.encode(
                vault.policy(),
                vault.policyVersion(),
                vault.spentTotal(),
                vault.paymentExecuted(order.paymentId),
                vault.isApprover(order.version, approver),
                vault.isApprover(order.version, second),
                _balance(address(vault)),
                _balance(recipient),
                _balance(owner),
                _others()
            )
        );
    }

    function _others() private view returns (bytes memory) {
        (uint128 total, uint128 automatic,) = vault.spentInPeriod();
        return abi.encode(
            vault.proposal(),
            vault.pauseNumber(),
            vault.recipientsVersion(),
            vault.recipientOf(recipient),
            vault.recipientOf(stranger),
            total,
            automatic
        );
    }

    /// @dev Zero when the token will not say.
    function _balance(address account) internal view returns (uint256) {
        (bool ok, bytes memory answer) =
            address(vault.token()).staticcall(abi.encodeCall(IERC20.balanceOf, (account)));
        return ok && answer.length >= 32 ? abi.decode(answer, (uint256)) : 0;
    }

    function _bound(uint256 value, uint256 low, uint256 high) internal pure returns (uint256) {
        if (value >= low && value <= high) return value;
        return low + value % (high - low + 1);
    }

    function _invalid(bytes32 reason) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IVaultRecords.InvalidConfig.selector, reason);
    }

    function _is(bytes4 selector) internal pure returns (bytes memory) {
        return abi.encodePacked(selector);
    }
}
