// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice A token that can be told to misbehave, in one way at a time.
/// @dev Its answers do not fit the ERC-20 interface, so it does not claim it.
contract OddToken {
    enum Kind {
        Plain,
        TakesAFee,
        ReturnsFalse,
        ReturnsNothing,
        ReturnsMore,
        ReturnsTwo,
        MovesNothing,
        MovesTwice,
        RebasesUp,
        RebasesDown,
        PaysAnother,
        HidesBalances,
        RevertsSilently
    }

    Kind public kind;
    mapping(address account => bool) public isBlocked;
    mapping(address account => uint256) private _balances;

    function become(Kind kind_) external {
        kind = kind_;
    }

    function block_(address account, bool blocked) external {
        isBlocked[account] = blocked;
    }

    function mint(address to, uint256 amount) external {
        _balances[to] += amount;
    }

    /// @dev The truth, also while balances are hidden.
    function ledger(address account) external view returns (uint256) {
        return _balances[account];
    }

    function balanceOf(address account) external view returns (uint256) {
        require(kind != Kind.HidesBalances, "no balances today");
        return _balances[account];
    }

    function transfer(address to, uint256 amount) external {
        _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private {
        require(!isBlocked[from] && !isBlocked[to], "blocked");
        if (kind == Kind.RevertsSilently) {
            assembly ("memory-safe") {
                revert(0, 0)
            }
        }
        if (kind != Kind.MovesNothing && kind != Kind.ReturnsFalse) {
            _balances[from] -= amount;
            _balances[kind == Kind.PaysAnother ? address(0xbad) : to] += amount;
        }
        if (kind == Kind.TakesAFee) _balances[to] -= 1;
        if (kind == Kind.MovesTwice) _balances[from] -= 1;
        if (kind == Kind.RebasesUp) (_balances[from] += 1, _balances[to] += 1);
        if (kind == Kind.RebasesDown) (_balances[from] /= 2, _balances[to] /= 2);
        Kind current = kind;
        assembly ("memory-safe") {
            mstore(0, 1)
            // ReturnsFalse, ReturnsNothing, ReturnsMore and ReturnsTwo in their order.
            if eq(current, 2) { mstore(0, 0) }
            if eq(current, 3) { return(0, 0) }
            if eq(current, 4) { return(0, 64) }
            if eq(current, 5) { mstore(0, 2) }
            return(0, 32)
        }
    }
}
